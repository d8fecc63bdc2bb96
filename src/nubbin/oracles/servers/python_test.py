"""Tests that are Python functions or pytest suites, and the interpreter that they need."""

from __future__ import annotations

import base64
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from nubbin.disk import is_of_the_system
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.commands.command_test import interpreter_line
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.processes.supervisors import importing
from nubbin.oracles.servers.server_pool import FunctionServer, ServerPool
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern
from nubbin.user_paths import check_lookup
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError


@dataclass(frozen=True, slots=True)
class PythonTest(UserTest):
    """A function in a Python file; the file is imported once, and a fork per query calls it.

    `interpreter` is the path of the Python that does so, None for the one that runs nubbin.
    """

    interpreter: str | None
    kind = "python"
    has_own_file = True
    start_limit = 30.0  # for the import of the file
    _contract = (
        "The function must return True as long as the input misbehaves, False when it no "
        "longer does, and None if it cannot say. It is called with the path of the "
        "candidate, in a new folder that contains only {contents}."
    )

    @classmethod
    def of(cls, name: str, interpreter: StrPath | None = None) -> PythonTest:
        """Return the test for FILE:FUNCTION.

        A Python `interpreter` calls it, 3.9 or newer; by default the one of the active virtual
        environment, of the .venv beside FILE or above it, or the one that runs nubbin. Raises
        NubbinError if there is no such file or interpreter.
        """
        file, _, function = name.rpartition(":")
        path = Path(file).absolute()
        check_lookup(path)
        if not function.isidentifier() or not path.is_file():
            raise NubbinError(
                f"There is no Python function {name!r}. Give the path of a file and the name of a "
                "function in it, such as check.py:crashes."
            )
        named = None if interpreter is None else os.fspath(interpreter)
        return cls((str(path), function), str(Path.cwd()), interpreter_for(path.parent, named))

    def __str__(self) -> str:
        return ":".join(self.words)

    @property
    def runs_in(self) -> str | None:
        return self.interpreter

    @property
    def _as_option(self) -> str:
        words = f"--python {quoted_word(str(self))}"
        if self.interpreter is None:
            return words
        return f"{words} --interpreter {quoted_word(self.interpreter)}"

    @property
    def programs(self) -> tuple[str, ...]:
        return self.words if self.interpreter is None else (*self.words, self.interpreter)

    def runner(self, folders: QueryFolders) -> Runner:
        command = server_command(self.interpreter, "fork_server", self.words)
        return ServerPool(self, command, folders, partial(FunctionServer, b"import"))


@dataclass(frozen=True, slots=True)
class FunctionTest(UserTest):
    """A lambda, a local function, or one of a prompt or a notebook; forks call a copy of it.

    `copied` is the copy by cloudpickle, in base64. If the function changes variables, it changes
    them only in the copy.
    """

    copied: str
    kind = "function"
    as_options = None  # a command needs a file
    programs = ()
    start_limit = PythonTest.start_limit
    _contract = PythonTest._contract

    @classmethod
    def of(cls, function: Callable[[Path], Any], name: str) -> FunctionTest:
        """Return the test for a function; raises NubbinError if it cannot be copied."""
        import cloudpickle  # noqa: PLC0415 - takes 35 ms

        try:
            pickled = cloudpickle.dumps(function)
        except Exception as error:
            raise NubbinError(
                f"The function {name} cannot be copied to the processes that call it: {error}. "
                "Open files and make locks within the function, or put it at the top of a file, "
                "which these processes import."
            ) from None
        return cls((name,), str(Path.cwd()), base64.b64encode(pickled).decode())

    def runner(self, folders: QueryFolders) -> Runner:
        command = server_command(None, "fork_server", ("", *self.words))
        load = b"import" + self.copied.encode()
        return ServerPool(self, command, folders, partial(FunctionServer, load))


#: The name of a Python's file.
PYTHON = pattern(r"python[\d.]*")

# Another Python may have another version of nubbin, or none. It may be older than nubbin's own, if
# the module and its imports support it.
_CHECK = """import sys
if sys.version_info < (3, 9):
    sys.exit("This is Python %d.%d; nubbin needs 3.9 or newer." % sys.version_info[:2])
"""


def interpreter_for(folder: Path, named: str | None, program: str | None = None) -> str | None:
    """Return the path of the Python for the files in a folder; None for the one that runs nubbin.

    It is the first of these that exists: the one that is `named`, by a path or as a program on the
    PATH; the one of the active virtual environment (VIRTUAL_ENV); the one of the `.venv` in the
    folder or in one above it, unless others than the user and root may have changed it; the one
    that runs a `program` on the PATH, if given. Raises NubbinError if none has the name `named`.
    """
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise NubbinError(
                f"There is no Python interpreter {named}. Give the path of one, as "
                ".venv/bin/python, or the name of one on the PATH."
            )
        # Links are not resolved, because a virtual environment is made of them.
        return _unless_own(Path(found).absolute())
    active = os.environ.get("VIRTUAL_ENV")
    above = [each / ".venv" for each in (folder, *folder.parents)]
    for place in [Path(active)] if active else filter(_is_trusted, above):
        python = place / "bin" / "python"
        if (place / "pyvenv.cfg").is_file() and os.access(python, os.X_OK):
            return _unless_own(python)
    found = shutil.which(program) if program else None
    python_of = interpreter_of(Path(found)) if found else None
    return _unless_own(python_of) if python_of and os.access(python_of, os.X_OK) else None


def interpreter_of(script: Path) -> Path | None:
    """Return the Python in the first line of a script; None if it names anything else."""
    with suppress(OSError), script.open("rb") as opened:
        named = Path(*interpreter_line(opened.readline(1 << 10))[:1])
        if PYTHON.fullmatch(named.name) and named.is_absolute():
            return named
    return None


def _unless_own(python: Path) -> str | None:
    """Return the path of a Python; None if it is the one that runs nubbin, in its environment."""
    own = Path(sys.executable)
    is_own = python.parent.samefile(own.parent) and python.samefile(own)
    return None if is_own else str(python)


def _is_trusted(environment: Path) -> bool:
    """Tell whether only the user and root may have made or changed an environment."""
    return all(map(is_of_the_system, (environment / "pyvenv.cfg", environment / "bin" / "python")))


def server_command(interpreter: str | None, module: str, words: Sequence[str]) -> list[str]:
    """Return the command that starts a module of `nubbin.oracles.servers`, with these words."""
    # nubbin's own Python must be able to import all that nubbin can.
    more = [*filter(None, sys.path)] if interpreter is None else []
    call = f"sys.path += [each for each in {more!r} if each not in sys.path]\n{module}.main()"
    start = _CHECK + importing(f"servers import {module}", call)
    return [interpreter or sys.executable, "-c", start, *words]


#: The program that runs in the suite's own Python.
ONE_TEST = Path(__file__).with_name("one_test.py")
#: The most tests that a command line names. More are listed in a file.
_MAX_NAMED = 50


def as_lines(tests: Sequence[str]) -> bytes:
    """Return the ids of tests, one on a line, in the format of `one_test.ids`."""
    text = "".join(test.replace("\n", "\0") + "\n" for test in tests)
    return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class PytestTest(PythonTest):
    """A list of tests is interesting if another test has a given outcome after them.

    `words` are `one_test.came_to` and its arguments: the folder of the suite, the outcome, the id
    of the one test, options of pytest, and `files` or folders that pytest collects.
    """

    files: tuple[str, ...] = ()

    kind = "pytest"
    has_own_file = False
    as_options = None  # the tests are in no file
    _contract = "The tests of {contents} are run before the one in question."

    @staticmethod
    def of_suite(
        folder: Path,
        one: str,
        options: Sequence[str],
        interpreter: str | None,
        files: Sequence[str] = (),
    ) -> PytestTest:
        """Return the test that checks whether one test of the suite fails."""
        words = (str(ONE_TEST), "came_to", str(folder), "failed", one, *options, *files)
        return PytestTest(words, str(folder), interpreter, files=tuple(files))

    @property
    def one(self) -> str:
        """The id of the one test."""
        return self.words[4]

    @property
    def fails(self) -> bool:
        """Whether the one test must fail."""
        return self.words[3] == "failed"

    def passing(self) -> PytestTest:
        """Return the test that checks whether the one test passes."""
        return replace(self, words=(*self.words[:3], "passed", *self.words[4:]))

    def __str__(self) -> str:
        return f"pytest {self.one}"

    @property
    def prints_its_failure(self) -> bool:
        return self.fails

    def line_for(self, result: Path, name: str) -> str:
        tests = result.read_bytes().split(b"\n")[:-1]
        named = [_as_word(os.fsdecode(test).replace("\0", "\n")) for test in tests]
        if len(tests) > _MAX_NAMED:
            named = [f"@{result}"]
        options = self.words[5 : len(self.words) - len(self.files)]
        python = self.interpreter or sys.executable
        return shlex.join([python, "-m", "pytest", *options, *named, _as_word(self.one)])


def _as_word(test: str) -> str:
    """Return an id as a word that pytest takes neither for an option nor for a file of them."""
    return f"./{test}" if test.startswith(("-", "@")) else test
