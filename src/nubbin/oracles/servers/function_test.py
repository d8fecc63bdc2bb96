"""A test that is a Python function which no other process can import."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.oracles.servers.interpreter import server_command
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server import IMPORT_TIMEOUT_S, Zygote
from nubbin.oracles.servers.server_pool import ServerPool
from nubbin.oracles.user_test import UserTest
from nubbin_core.errors import NubbinError


@dataclass(frozen=True, slots=True)
class FunctionTest(UserTest):
    """A lambda, a local function, or one of a prompt or a notebook; forks call a copy of it.

    `copied` is the copy by cloudpickle, in base64. If the function changes variables, it changes
    them only in the copy.
    """

    copied: str
    kind = "function"
    start_limit = IMPORT_TIMEOUT_S
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

    def __str__(self) -> str:
        return self.words[0]

    @property
    def as_options(self) -> None:
        """None: a command needs a file."""

    @property
    def programs(self) -> tuple[str, ...]:
        """See `UserTest`."""
        return ()

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        start = partial(Zygote, self, copied=self.copied.encode())
        return ServerPool(
            start, server_command(None, "zygote", ("", *self.words)), folders, sandbox
        )
