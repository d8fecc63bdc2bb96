"""A test that is a Python function, in a file or anywhere else."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nubbin.disk import check_lookup
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.servers.interpreter import interpreter_for, server_command
from nubbin.oracles.servers.server_pool import ServerPool
from nubbin.oracles.user_test import UserTest
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
    def in_full(self) -> str:
        return str(self) if self.interpreter is None else f"{self} in {self.interpreter}"

    @property
    def as_options(self) -> str | None:
        words = f"--python {quoted_word(str(self))}"
        if self.interpreter is None:
            return words
        return f"{words} --interpreter {quoted_word(self.interpreter)}"

    @property
    def programs(self) -> tuple[str, ...]:
        return self.words if self.interpreter is None else (*self.words, self.interpreter)

    @property
    def load(self) -> bytes:
        return b"import"

    def runner(self, folders: QueryFolders) -> Runner:
        command = server_command(self.interpreter, "fork_server", self.words)
        return ServerPool(self, command, folders)


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

    @property
    def load(self) -> bytes:
        return b"import" + self.copied.encode()

    def runner(self, folders: QueryFolders) -> Runner:
        return ServerPool(self, server_command(None, "fork_server", ("", *self.words)), folders)
