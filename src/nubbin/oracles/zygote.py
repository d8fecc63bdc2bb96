"""A server for a Python function: imports it once, forks for each query.

Run as a program: FILE FUNCTION PATH, the last as in PYTHONPATH: where whoever started us finds
modules. It reads lines of a folder, a NUL and the path of a candidate there, and answers as any
server (see `nubbin.oracles.servers`); an empty line ends the fork. The function is called with the
path of the candidate, in the folder of the candidate. It returns True while that is interesting,
None when it cannot say. Raising is not interesting, but SystemExit counts as the exit code of a
command does.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NoReturn

from nubbin.oracles.exits import until_exit
from nubbin.oracles.verdict import CANNOT_SAY, DIFFERENT

_LOOKING = 0.02  # seconds until we see that the answer is not wanted any more
_ANSWERS = {0: b"interesting\n", CANNOT_SAY: b"unresolved\n", DIFFERENT: b"different\n"}


def main() -> None:
    """Serve until standard input ends."""
    file, name, path = sys.argv[1:]
    # What the function prints is not for whoever reads our answers.
    questions, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.path += [place for place in path.split(os.pathsep) if place not in sys.path]
    function = _load(Path(file), name)
    with os.fdopen(questions, "rb", buffering=0) as lines:
        while line := lines.readline():
            if place := os.fsdecode(line.removesuffix(b"\n")):
                os.write(answers, _answer(function, place, lines.fileno()))


def _load(file: Path, name: str) -> Callable[[Path], Any]:
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        sys.exit(f"{file} is no Python file")
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        sys.exit(f"there is no function {name} in {file}")
    return function  # type: ignore[no-any-return]


def _answer(function: Callable[[Path], Any], place: str, questions: int) -> bytes:
    folder, path = place.split("\0")
    fork = os.fork()
    if fork == 0:
        _call(function, folder, path)
    while not until_exit(fork, _LOOKING):
        if select.select([questions], [], [], 0)[0]:
            break  # an empty line, or nobody is there any more
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):  # it may lead no group yet
            kill(fork, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])
    return _ANSWERS.get(code, b"uninteresting\n")


def _call(function: Callable[[Path], Any], folder: str, path: str) -> NoReturn:
    """Call the function as a process of its own, which ends with it."""
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.environ.update(PWD=folder, TMPDIR=folder)
        tempfile.tempdir = None
        found = function(Path(path))
        code = CANNOT_SAY if found is None else int(not found)
    except SystemExit as ended:
        code = 0 if ended.code is None else ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code & 0xFF)


if __name__ == "__main__":
    main()
