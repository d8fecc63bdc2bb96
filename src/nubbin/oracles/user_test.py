"""What the user gave as a test: a command, a server, or a Python function."""

from __future__ import annotations

import inspect
import json
import os
import shlex
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from nubbin.errors import NubbinError
from nubbin.oracles.commands.command_line import placed
from nubbin.oracles.failures.conditions import Command, Conditions
from nubbin.oracles.isolation.candidate_files import StrPath
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.oracles.processes.executable import check_lookup, locate
from nubbin.oracles.servers.interpreter import interpreter_for

_Word = Annotated[str, Meta(pattern=r"^[^\x00]+$")]


@dataclass(frozen=True, slots=True)
class UserTest(ABC):
    """A test, however it is run; made by `command`, `server`, `python` or `of`.

    `words` are an executable and its arguments, or the file and the name of a function.
    `folder` is the folder that the user was in: relative paths in `words` start there.
    """

    words: Annotated[tuple[_Word, ...], Meta(min_length=1)]
    folder: _Word

    #: What the journal calls this kind of test.
    kind: ClassVar[str]
    #: Seconds that the start of the test may take before its first answer, beside its limit.
    start_limit: ClassVar[float] = 0.0
    #: Whether a query may have to wait until a server has started.
    has_server: ClassVar[bool] = True
    _contract: ClassVar[str]

    @staticmethod
    def command(test: StrPath) -> UserTest:
        """Return the test that runs an executable once per query.

        Raises NubbinError if the file cannot be run.
        """
        from nubbin.oracles.commands.command_test import CommandTest  # noqa: PLC0415 - a subclass

        return CommandTest((str(locate(Path(test))),), str(Path.cwd()))

    @staticmethod
    def run(
        line: str, conditions: Conditions | None = None, source: Path | None = None
    ) -> UserTest:
        """Return the test that runs a command line once per query; its conditions decide.

        In the line, `{}`, the name of the input `source`, or else its end is the place of the
        candidate's path. If the conditions do not say when the command misbehaves, `nubbin.reduce`
        learns that from how it fails on the input.
        """
        from nubbin.oracles.commands.run_test import RunTest  # noqa: PLC0415 - a subclass

        here = Path.cwd()
        given = Conditions() if conditions is None else conditions
        asked = given.with_lines(lambda each: placed(each, here, source))
        return RunTest((placed(line, here, source),), str(here), asked)

    @staticmethod
    def server(line: str) -> UserTest:
        """Return the test that a command line starts once and that answers many queries.

        Raises NubbinError if there is no such program.
        """
        from nubbin.oracles.servers.server_test import ServerTest  # noqa: PLC0415 - a subclass

        try:
            words = shlex.split(line)
            if not words:
                raise ValueError("it is empty")
        except ValueError as error:
            raise NubbinError(f"The server {line!r} is no command: {error}.") from None
        found = shutil.which(words[0])
        if found is None:
            raise NubbinError(
                f"There is no program {words[0]!r} to start as a server. Give the command line of "
                "one, with the path of the program if it is not on the PATH."
            )
        return ServerTest((str(locate(Path(found))), *words[1:]), str(Path.cwd()))

    @staticmethod
    def python(name: str, interpreter: StrPath | None = None) -> UserTest:
        """Return the test that FILE:FUNCTION names.

        A Python `interpreter` calls it, 3.9 or newer; by default that of the active virtual
        environment, of the .venv beside FILE or above it, or else the one that runs nubbin. Raises
        NubbinError if there is no such file or interpreter.
        """
        from nubbin.oracles.servers.python_test import PythonTest  # noqa: PLC0415 - a subclass

        file, _, function = name.rpartition(":")
        path = Path(file).absolute()
        check_lookup(path)
        if not function.isidentifier() or not path.is_file():
            raise NubbinError(
                f"There is no Python function {name!r}. Give the path of a file and the name of a "
                "function in it, as in check.py:crashes."
            )
        named = None if interpreter is None else os.fspath(interpreter)
        return PythonTest((str(path), function), str(Path.cwd()), interpreter_for(path, named))

    @classmethod
    def of(
        cls,
        test: UserTest | Command | StrPath | Callable[[Path], bool | None],
        source: Path | None = None,
    ) -> UserTest:
        """Return the test that an executable, a command or a function at the top of a file is.

        `source` is the input, whose name may stand in a command. Raises NubbinError if it cannot be
        run, and for any other function.
        """
        if isinstance(test, UserTest):
            return test
        if isinstance(test, Command):
            return cls.run(test.run, Conditions.from_json(test.to_json()), source)
        if isinstance(test, str | os.PathLike):
            return cls.command(test)
        name = getattr(test, "__qualname__", repr(test))
        file = inspect.getsourcefile(test) if inspect.isfunction(test) else None
        if file is None or not Path(file).is_file() or not name.isidentifier():
            raise NubbinError(
                f"The function {name} cannot be called by other processes, for it is not at the "
                "top of a file: nothing is that was made by lambda, in a function, at a prompt or "
                "in a notebook. Put it there, by `def`; what else that file does goes under "
                'if __name__ == "__main__".'
            )
        return cls.python(f"{file}:{name}", sys.executable)

    @abstractmethod
    def __str__(self) -> str:
        """Return the test as the user gave it."""

    def contract(self, contents: str, argument: str) -> str:
        """Return how the test is called, and what it must answer.

        `contents` says what is in the folder that it runs in, `argument` what its last argument is.
        """
        return self._contract.format(contents=contents, argument=argument)

    @abstractmethod
    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """Return what runs the test for an oracle with these folders."""

    @property
    def path(self) -> Path:
        """The file to look at if something is wrong with the test."""
        return Path(self.words[0])

    @property
    def prints_its_failure(self) -> bool:
        """Whether an interesting input is one for which a failure is printed, if anything is."""
        return True

    @property
    def in_full(self) -> str:
        """The test as the user gave it, with all that decides on its answer."""
        return str(self)

    def line_for(self, result: Path) -> str | None:
        """Return the command line that shows the failure of a result, if the test is one."""
        return None

    @property
    def programs(self) -> tuple[str, ...]:
        """All words that may be the paths of files that the test needs."""
        return self.words

    def digest(self) -> str:
        """Return a fingerprint of the test and the files that it names.

        A test whose fingerprint has changed is another test. Raises OSError if a file cannot be
        read.
        """
        total = blake2b(digest_size=16)
        total.update(json.dumps(self.to_json()).encode())
        for word in self.programs:
            file = Path(self.folder, word)
            if os.path.isfile(file):  # noqa: PTH113 - a word may be too long for a path
                total.update(blake2b(file.read_bytes()).digest())
        return total.hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return the test as JSON values."""
        return {"kind": self.kind, "words": list(self.words), "folder": self.folder}

    @staticmethod
    def from_json(values: dict[str, Any]) -> UserTest:
        """Return the test that `to_json` gave these values for.

        Raises ValueError, msgspec.ValidationError or OptionError for any others.
        """
        from nubbin.oracles.commands.blame_test import BlameTest  # noqa: PLC0415 - a subclass
        from nubbin.oracles.commands.command_test import CommandTest  # noqa: PLC0415 - a subclass
        from nubbin.oracles.commands.run_test import RunTest  # noqa: PLC0415 - a subclass
        from nubbin.oracles.servers.pytest_test import PytestTest  # noqa: PLC0415 - a subclass
        from nubbin.oracles.servers.python_test import PythonTest  # noqa: PLC0415 - a subclass
        from nubbin.oracles.servers.server_test import ServerTest  # noqa: PLC0415 - a subclass

        tests = (BlameTest, CommandTest, PytestTest, PythonTest, RunTest, ServerTest)
        kinds = {kind.kind: kind for kind in tests}
        kind = kinds.get(str(values.get("kind")))
        if kind is None:
            raise ValueError(f"there is no kind of test {values.get('kind')!r}")
        return msgspec.convert({**values, "kind": None}, kind)
