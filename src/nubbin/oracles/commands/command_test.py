"""A test that is an executable file."""

from __future__ import annotations

from pathlib import Path

from nubbin.oracles.commands.command_runner import CommandRunner
from nubbin.oracles.commands.shell_words import quoted_path
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.oracles.processes.executable import locate
from nubbin.oracles.user_test import UserTest
from nubbin_core.argument_types import StrPath


class CommandTest(UserTest):
    """An executable that is run once per query."""

    __slots__ = ()
    kind = "command"
    has_server = False
    has_own_file = True
    _contract = (
        "The test must exit with status 0 as long as the input misbehaves, and with another "
        "status when it no longer does. It is run in an empty folder that holds nothing but "
        "{contents}{argument}. A test that needs other files must name them by absolute paths."
    )

    @classmethod
    def of(cls, test: StrPath) -> CommandTest:
        """Return the test for an executable; raises NubbinError if it cannot be run."""
        return cls((str(locate(Path(test))),), str(Path.cwd()))

    def __str__(self) -> str:
        return self.words[0]

    @property
    def as_options(self) -> str:
        """See `UserTest`."""
        return quoted_path(self.path, self.folder)

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        return CommandRunner(self.words, folders.keepers, sandbox)
