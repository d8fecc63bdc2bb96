"""Run Python programs in forks of a Python that has already imported their modules.

Run as a program by the Python of a test, from 3.9 on, instead of
`nubbin.oracles.processes.supervisor`: it imports modules, and then forks supervisors like that. For
a supervisor, a command whose first word is empty is a Python program. Its other words are those
that follow the options of Python on a command line, including -m and -c.
"""

from __future__ import annotations

import gc
import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import NoReturn

#: The first word of a command that runs in a fork.
FORK = b""
_OURS = ("nubbin", "nubbin_core")


class Forked(BaseException):
    """Leaves all functions of a supervisor in a fork of it; `main` catches it and calls `run`."""

    def __init__(self, words: Sequence[bytes], environment: dict[bytes, bytes]):
        super().__init__()
        self._words = [os.fsdecode(each) for each in words]
        self._environment = environment

    def run(self, path: Sequence[str]) -> NoReturn:
        """Run the program, and end as Python does; `path` is Python's own import path."""
        os.environ.clear()
        os.environb.update(self._environment)
        for name in [each for each in sys.modules if each.split(".")[0] in _OURS]:
            del sys.modules[name]  # the program may have modules of this name
        first, *rest = self._words
        is_code, is_module = first == "-c", first == "-m"
        start = str(Path(first).resolve().parent)
        if is_code or is_module:
            start = "" if is_code else os.getcwd()
        is_safe = getattr(sys.flags, "safe_path", False) or sys.flags.isolated
        sys.path[:] = [*([] if is_safe else [start]), *_from_environment(), *path]
        sys.argv[:] = [first, *rest[1:]] if is_code or is_module else [first, *rest]
        sys.modules["__main__"] = main = ModuleType("__main__")
        try:
            if is_module:
                runpy._run_module_as_main(rest[0])  # type: ignore[attr-defined]
            elif is_code:
                exec(compile(rest[0], "<string>", "exec", dont_inherit=True), main.__dict__)
            else:
                file = os.path.abspath(first)
                loader = SourceFileLoader("__main__", file)
                main.__dict__.update(__file__=file, __cached__=None, __loader__=loader)
                code = compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)
                exec(code, main.__dict__)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            within = error.__traceback__ and error.__traceback__.tb_next
            sys.excepthook(type(error), error.with_traceback(within), within)
            sys.exit(1)
        sys.exit()


def _from_environment() -> list[str]:
    given = "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")
    return [os.path.abspath(each) for each in given.split(os.pathsep)] if given else []


def fork_program(
    words: Sequence[bytes], environment: dict[bytes, bytes], streams: Sequence[int]
) -> int:
    """Fork this process, run a program in the fork as a session leader, and return its id."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for to, each in enumerate(streams):
            os.dup2(each, to)
        os.close(reader)
        os.close(writer)
        raise Forked(words, environment)
    os.close(writer)
    os.read(reader, 1)  # returns when the fork is the leader, and has closed the pipe
    os.close(reader)
    return pid


def main(serve: Callable[[], None]) -> None:
    """Import the modules in the arguments, and `serve`; in a fork, run a program."""
    path = [each for each in sys.path if each]
    for name in sys.argv[1:]:
        with suppress(Exception):
            import_module(name)
    if threading.active_count() > 1:
        sys.exit("A module has started threads, which do not exist in a fork.")
    gc.freeze()  # so that forks share the memory
    handlers = {each: signal.getsignal(each) for each in signal.valid_signals()}
    program: Forked | None = None
    try:
        serve()
    except Forked as left:
        program = left  # it runs outside, or this would be the context of its exceptions
    if program is not None:
        for each, handler in handlers.items():
            if signal.getsignal(each) is not handler:
                signal.signal(each, handler)
        program.run(path)
