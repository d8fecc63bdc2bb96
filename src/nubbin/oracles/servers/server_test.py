"""A test that is a server: a program that answers many queries."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.processes.executable import locate
from nubbin.oracles.servers.server_pool import ServerPool
from nubbin.oracles.user_test import UserTest
from nubbin_core.errors import NubbinError


class ServerTest(UserTest):
    """A program that is started once and answers many queries.

    In a sandbox it can write only in the folders of the queries.
    """

    __slots__ = ()
    kind = "server"
    _contract = (
        "The server must answer each path that it reads from its standard input with one line, "
        "and flush it at once. The line is interesting if the input misbehaves, uninteresting "
        "if not, and unresolved if it cannot tell."
    )

    @classmethod
    def of(cls, line: str) -> ServerTest:
        """Return the test for a server's command line; raises NubbinError if there is none."""
        try:
            words = shlex.split(line)
            if not words:
                raise ValueError("it is empty")
        except ValueError as error:
            raise NubbinError(f"The server {line!r} is not a command: {error}.") from None
        found = shutil.which(words[0])
        if found is None:
            raise NubbinError(
                f"There is no program {words[0]!r} to start as a server. Give the command line of "
                "one, with the path of the program if it is not on the PATH."
            )
        return cls((str(locate(Path(found))), *words[1:]), str(Path.cwd()))

    def __str__(self) -> str:
        return shlex.join(self.words)

    def runner(self, folders: QueryFolders) -> Runner:
        """See `UserTest`."""
        return ServerPool(self, self.words, folders)
