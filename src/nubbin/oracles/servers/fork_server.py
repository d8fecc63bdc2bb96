"""A fork server for a Python function: imports it once, forks for each query.

Run as a program with the arguments FILE, FUNCTION and more, which the function gets after its
candidate. The Python that runs it may be another than nubbin's own, from 3.9 on. The first line
that it reads, `import`, makes it import the file. If the word is followed by a pickled copy of the
function, in base64, there is no file. It answers with an empty line, or with an error. Each other
line is a folder, a NUL and the path of a candidate there. It answers like any server (see
`nubbin.oracles.servers.server_pool`); an empty line kills the fork.

The function is called in the folder, with the path of the candidate. It returns True if the
candidate is interesting, False if not, and None if it cannot say. If it raises, the candidate is
not interesting, but SystemExit counts like the exit code of a command. If the process ends before
the function returns, by `os._exit` or in a C library, the candidate is not interesting. If it
returns anything else, such as a coroutine, the response is an error.
"""

from __future__ import annotations

import base64
import mmap
import os
import pickle
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

from nubbin.oracles.processes.descendants import become_subreaper, children, end_children
from nubbin.oracles.processes.process import wait_no_reap
from nubbin_core.verdict import CANNOT_SAY, DIFFERENT, NoTruth, truth_of

_CANCEL_PERIOD_S = 0.02  # between two checks for the line that kills the fork
_MAX_ERROR_CHARS = 1000
_UNINTERESTING = 1  # the code of a fork until its function returns
is_importing = False  # whether this process is importing the file of a function
_RESPONSES = {0: b"interesting\n", CANNOT_SAY: b"unresolved\n", DIFFERENT: b"different\n"}


def main() -> None:
    """Serve until standard input ends."""
    file, name, *arguments = sys.argv[1:]
    # The output of the function must not get between the responses.
    requests, responses = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    with os.fdopen(requests, "rb", buffering=0) as lines, suppress(BrokenPipeError):
        first = lines.readline()
        if not first:
            return
        try:
            copied = first.strip()[len(b"import") :]
            loaded = _unpickled(copied, name) if copied else _load(Path(file), name)
        except _LoadError as error:
            message = str(error)[:_MAX_ERROR_CHARS].replace("\n", " ")
            os.write(responses, message.encode(errors="backslashreplace") + b"\n")
            return
        os.write(responses, b"\n")
        function: Callable[[Path], Any] = lambda path: loaded(path, *arguments)  # noqa: E731
        become_subreaper()
        helpers = frozenset(children(os.getpid()))  # started by the module
        # The fork answers in shared memory, by a code and an error: the function may close pipes.
        said = mmap.mmap(-1, 1 + _MAX_ERROR_CHARS)
        while line := lines.readline():
            if request := os.fsdecode(line.removesuffix(b"\n")):
                response = _response(function, request, (requests, responses), said)
                end_children(helpers)
                os.write(responses, response)


class _LoadError(Exception):
    """The function cannot be imported; the message says why, in a sentence or two."""


def _unpickled(copied: bytes, name: str) -> Callable[[Path], Any]:
    sys.path.insert(0, os.getcwd())  # as in the process that copied it
    try:
        return pickle.loads(base64.b64decode(copied))  # type: ignore[no-any-return]
    except BaseException as error:
        raise _LoadError(
            f"The copy of the function {name} cannot be loaded in another process: "
            f"{_printed(error)}. Put it at the top of a file, which that process imports."
        ) from None


def _load(file: Path, name: str) -> Callable[[Path], Any]:
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise _LoadError(f"The test {file} is not a Python file: its name must end in .py.")
    global is_importing  # noqa: PLW0603 - the file calls code that reads it
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    is_importing = True
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        hint = next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), "")
        raise _LoadError(
            f"The test {file} cannot be imported: {_printed(error)}. It runs in {sys.executable}."
            f"{hint}"
        ) from None
    finally:
        is_importing = False
    function = getattr(module, name, None)
    if not callable(function):
        raise _LoadError(
            f"There is no function {name} in {file} after its import. Define it at the top of the "
            'file, by `def`, and not under if __name__ == "__main__".'
        )
    return function  # type: ignore[no-any-return]


def _printed(error: BaseException) -> str:
    """Print the traceback of an error, without frames of nubbin; return its last line."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_NOT_THEIRS):
        frames = frames.tb_next
    traceback.print_exception(error.with_traceback(frames))
    return f"{type(error).__name__}: {error}".removesuffix(": ")


_NOT_THEIRS = (__file__, "<frozen importlib")
_HINTS: dict[type[BaseException], str] = {
    ImportError: " Install there what the test needs, or name a Python that has it, by "
    "--interpreter.",
    SystemExit: ' What ends the program goes under if __name__ == "__main__".',
}


def _response(
    function: Callable[[Path], Any], request: str, pipes: tuple[int, int], said: mmap.mmap
) -> bytes:
    """Call the function in a fork, until nubbin gives up; return the line of the response."""
    folder, path = request.split("\0")
    said[:] = bytes([_UNINTERESTING]).ljust(len(said), b"\0")
    fork = os.fork()
    if fork == 0:
        for pipe in pipes:
            os.close(pipe)
        _call(function, folder, path, said)
    while not wait_no_reap(fork, _CANCEL_PERIOD_S):
        if select.select(pipes[:1], [], [], 0)[0]:
            break  # an empty line, or the end of input
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):  # it may not lead a group yet
            kill(fork, signal.SIGKILL)
    os.waitpid(fork, 0)
    if error := said[1:].rstrip(b"\0"):
        return error + b"\n"
    return _RESPONSES.get(said[0], b"uninteresting\n")


def _call(function: Callable[[Path], Any], folder: str, path: str, said: mmap.mmap) -> NoReturn:
    fork = os.getpid()
    try:
        os.setsid()
        os.chdir(folder)
        os.environ.update(PWD=folder, TMPDIR=folder)
        tempfile.tempdir = None
        error = b""
        try:
            answer = _exit_code(function, Path(path))
        except NoTruth as why:
            answer, error = _UNINTERESTING, str(why).encode()
        if os.getpid() == fork:  # a child that the function forked may also return from it
            said[: 1 + len(error)] = bytes([answer]) + error
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        os._exit(0)


def _exit_code(function: Callable[[Path], Any], path: Path) -> int:
    try:
        result = function(path)
        return CANNOT_SAY if result is None else int(not truth_of(result))
    except NoTruth:
        raise
    except SystemExit as ended:
        return 0 if ended.code is None else ended.code & 0xFF if isinstance(ended.code, int) else 1
    except BaseException as error:
        with suppress(Exception):
            sys.stdout.flush()  # what the function printed comes first
        _printed(error)
        return _UNINTERESTING


if __name__ == "__main__":
    main()
