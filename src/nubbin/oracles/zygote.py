"""A server for a Python function: imports it once, forks for each query.

Run as a program: FILE FUNCTION PATH, the last as in PYTHONPATH: where whoever started us finds
modules. The first line that it reads makes it import the file; it answers with an empty line, or
with what is wrong with the file. Each other is a folder, a NUL and the path of a candidate there,
and answered as by any server (see `nubbin.oracles.server`); an empty line ends the fork. The
function is called with the path of the candidate, in the folder of the candidate. It returns True
while that is interesting, None when it cannot say. Raising is not interesting, but SystemExit
counts as the exit code of a command does. A process that ends before the function does, by
`os._exit` or in a C library, has said nothing, which is not interesting either.
"""

from __future__ import annotations

import mmap
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

from nubbin.oracles.verdict import CANNOT_SAY, DIFFERENT
from nubbin.oracles.wait_exit import wait_no_reap

_LOOKING_S = 0.02  # until we see that the answer is not wanted any more
_MAX_TOLD = 1000  # characters of what is wrong with the file
_NOTHING = 1  # the code of a fork that has not said anything: uninteresting
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
    with os.fdopen(questions, "rb", buffering=0) as lines, suppress(BrokenPipeError):
        if not lines.readline():
            return
        try:
            function = _load(Path(file), name)
        except _Unfit as unfit:
            told = str(unfit)[:_MAX_TOLD].replace("\n", " ")
            os.write(answers, told.encode(errors="backslashreplace") + b"\n")
            return
        os.write(answers, b"\n")
        # In memory, which the function cannot close as it could a pipe.
        code = mmap.mmap(-1, 1)
        while line := lines.readline():
            if place := os.fsdecode(line.removesuffix(b"\n")):
                os.write(answers, _answer(function, place, (questions, answers), code))


class _Unfit(Exception):
    """What is wrong with the file of the function, in a sentence or two."""


def _load(file: Path, name: str) -> Callable[[Path], Any]:
    """Import a file and return a function of it; raises _Unfit."""
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise _Unfit(f"The test {file} is no Python file: its name must end in .py.")
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        traceback.print_exc()
        cause = f"{type(error).__name__}: {error}".removesuffix(": ")
        hint = next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), "")
        raise _Unfit(
            f"The test {file} cannot be imported: {cause}. It runs in nubbin's own Python, "
            f"{sys.executable}.{hint}"
        ) from None
    function = getattr(module, name, None)
    if not callable(function):
        raise _Unfit(
            f"There is no function {name} in {file} after its import. Define it at the top of the "
            'file, by `def`, and not under if __name__ == "__main__".'
        )
    return function  # type: ignore[no-any-return]


_HINTS: dict[type[BaseException], str] = {
    ImportError: " Install there what the test needs, or nubbin where that is installed.",
    SystemExit: ' What ends the program goes under if __name__ == "__main__".',
}


def _answer(
    function: Callable[[Path], Any], place: str, pipes: tuple[int, int], code: mmap.mmap
) -> bytes:
    """Call the function in a fork, unless that is given up; return the line that answers."""
    folder, path = place.split("\0")
    code[0] = _NOTHING
    fork = os.fork()
    if fork == 0:
        for pipe in pipes:
            os.close(pipe)
        _call(function, folder, path, code)
    while not wait_no_reap(fork, _LOOKING_S):
        if select.select(pipes[:1], [], [], 0)[0]:
            break  # an empty line, or nobody is there any more
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):  # it may lead no group yet
            kill(fork, signal.SIGKILL)
    os.waitpid(fork, 0)
    return _ANSWERS.get(code[0], b"uninteresting\n")


def _call(function: Callable[[Path], Any], folder: str, path: str, code: mmap.mmap) -> NoReturn:
    """Call the function as a process of its own, which ends with it."""
    fork = os.getpid()
    try:
        os.setsid()
        os.chdir(folder)
        os.environ.update(PWD=folder, TMPDIR=folder)
        tempfile.tempdir = None
        said = _said(function, Path(path))
        if os.getpid() == fork:  # and not a child of it that came back from the function
            code[0] = said
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        os._exit(0)


def _said(function: Callable[[Path], Any], path: Path) -> int:
    """Return what a function says of a candidate, as the exit code of a command."""
    try:
        found = function(path)
        return CANNOT_SAY if found is None else int(not found)
    except SystemExit as ended:
        return 0 if ended.code is None else ended.code & 0xFF if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return _NOTHING


if __name__ == "__main__":
    main()
