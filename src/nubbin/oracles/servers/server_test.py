"""A test that is a program which answers many queries."""

from __future__ import annotations

import shlex

from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.oracles.servers.server import LineServer
from nubbin.oracles.servers.server_pool import ServerPool
from nubbin.oracles.user_test import UserTest


class ServerTest(UserTest):
    """A program that is started once and answers many queries.

    In a sandbox it can write in the folders of all queries, and nowhere else.
    """

    __slots__ = ()
    kind = "server"
    _contract = (
        "The server must answer each path that it reads from its standard input, at once, "
        "with one line, and flush it: interesting, as long as the input misbehaves, "
        "uninteresting, or unresolved if it cannot say."
    )

    def __str__(self) -> str:
        return shlex.join(self.words)

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        command = self.words if sandbox is None else sandbox.around(self.words, folders.root)
        return ServerPool(
            lambda folder: LineServer(self, command, folder, folders.keepers), folders
        )
