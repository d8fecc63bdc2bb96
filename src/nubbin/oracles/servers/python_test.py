"""A test that is a Python function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.oracles.servers.interpreter import zygote_command
from nubbin.oracles.servers.server import IMPORT_TIMEOUT_S, Zygote
from nubbin.oracles.servers.server_pool import ServerPool
from nubbin.oracles.user_test import UserTest


@dataclass(frozen=True, slots=True)
class PythonTest(UserTest):
    """A function in a Python file; the file is imported once, and a fork calls it per query.

    `interpreter` is the path of the Python that does it, None for the one that runs nubbin.
    """

    interpreter: str | None
    kind = "python"
    start_limit = IMPORT_TIMEOUT_S
    _contract = (
        "The function must return True as long as the input misbehaves, False when it no "
        "longer does, and None if it cannot say. It is called with the path of the "
        "candidate, in an empty folder that holds nothing but {contents}."
    )

    def __str__(self) -> str:
        return ":".join(self.words)

    @property
    def in_full(self) -> str:
        """The function, and the Python that calls it."""
        return str(self) if self.interpreter is None else f"{self} in {self.interpreter}"

    @property
    def programs(self) -> tuple[str, ...]:
        """See `UserTest`."""
        return self.words if self.interpreter is None else (*self.words, self.interpreter)

    def to_json(self) -> dict[str, Any]:
        """See `UserTest`."""
        return {**UserTest.to_json(self), "interpreter": self.interpreter}

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        command = zygote_command(self.interpreter, self.words)
        if sandbox is not None:
            command = sandbox.around(command, folders.root)
        return ServerPool(lambda folder: Zygote(self, command, folder, folders.keepers), folders)
