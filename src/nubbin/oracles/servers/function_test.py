"""A test that is a Python function which no other process can import."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cloudpickle

from nubbin.errors import NubbinError
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.oracles.servers.interpreter import zygote_command
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server import Zygote
from nubbin.oracles.servers.server_pool import ServerPool


@dataclass(frozen=True, slots=True)
class FunctionTest(PythonTest):
    """A lambda, a local function, one of a prompt or a notebook: a fork calls a copy of it.

    `copied` is the copy as cloudpickle makes it, in base64. What the function changes in variables
    is changed in the copy alone.
    """

    copied: str
    kind = "function"

    @classmethod
    def of_function(cls, function: Callable[[Path], Any], name: str) -> FunctionTest:
        """Return the test of a function; raises NubbinError if it cannot be copied."""
        try:
            pickled = cloudpickle.dumps(function)
        except Exception as error:
            raise NubbinError(
                f"The function {name} cannot be copied to the processes that call it: {error}. "
                "Open files and make locks within the function, or put it at the top of a file, "
                "which these processes import."
            ) from None
        return cls((name,), str(Path.cwd()), None, base64.b64encode(pickled).decode())

    @property
    def programs(self) -> tuple[str, ...]:
        """See `UserTest`."""
        return ()

    def to_json(self) -> dict[str, Any]:
        """See `UserTest`."""
        return {**PythonTest.to_json(self), "copied": self.copied}

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        command = zygote_command(None, ("", *self.words))
        if sandbox is not None:
            command = sandbox.around(command, folders.root)
        copied = self.copied.encode()
        return ServerPool(
            lambda folder: Zygote(self, command, folder, folders.keepers, copied), folders
        )
