"""A test that is a server: started once, asked many times."""

from __future__ import annotations

import os
import sys
import threading
import time

from nubbin.oracles.errors import NubbinError
from nubbin.oracles.executable import diagnose
from nubbin.oracles.folders import Folders
from nubbin.oracles.line_child import NoLine
from nubbin.oracles.oracle import Answer
from nubbin.oracles.output import quoted
from nubbin.oracles.process import ended
from nubbin.oracles.runner import Candidate
from nubbin.oracles.sandbox import Sandbox
from nubbin.oracles.server import VERDICTS, Server
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict

_START_S = 30.0  # that a server may take for its start and its first answer, or its limit if longer


class Servers:
    """As many servers as there are queries at a time, each started when it is first needed.

    A server reads a line, the absolute path of a candidate, and answers with a line:
    `interesting`, `uninteresting`, `unresolved`, or `different`, which is uninteresting, but
    misbehaves in another way. One that ran into the time limit is killed, and the next query
    starts another; one that ended while it was asked is replaced, and the new one asked again, for
    what ended it may have been an earlier candidate. The first answer of a server may take half a
    minute if the limit is shorter, and once others have started, ten times what they needed.

    A Python function is served by `nubbin.oracles.zygote`, which imports it once and forks for
    each query: there only the fork is killed.

    In a sandbox a server can write in the folders of all queries, and nowhere else.
    """

    def __init__(self, test: UserTest, folders: Folders, sandbox: Sandbox | None):
        self._command = [*test.words]
        if test.kind == "python":
            options = [*test.words, os.pathsep.join(sys.path)]
            self._command = [sys.executable, "-P", "-m", "nubbin.oracles.zygote", *options]
        if sandbox is not None:
            self._command = sandbox.around(self._command, folders.root)
        self._test = test
        self._folders = folders
        self._start = Timeout(first=_START_S)
        self._proven = False  # a server has answered
        self._lock = threading.Lock()
        self._idle: list[Server] = []
        self._busy: set[Server] = set()
        self._closed = False

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Ask a server; raises UnusableTest if none starts, or it answers something else."""
        if "\n" in candidate.path:
            raise NubbinError(
                "A server reads paths by the line, and the name of the input has a line break in "
                "it. Give the input another name.",
            )
        while True:
            answer = self._ask(self._take(), candidate, limit)
            if answer is not None:
                return answer

    def close(self) -> None:
        """End the servers; whoever still asks one learns that it has ended."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for server in self._busy:
                server.kill()
        for server in idle:
            self._end(server)

    def _ask(self, server: Server, candidate: Candidate, limit: float | None) -> Answer | None:
        """Ask a server; None if it has ended and another, that is new, may fare better."""
        cold = server.cold
        started = time.perf_counter()
        try:
            with self._folders.monitored(server.folder, server.kill) as monitored:
                line = server.ask(candidate, limit, self._start.limit)
            seconds = time.perf_counter() - started
            said = server.said()
        except NoLine:
            seconds = time.perf_counter() - started
            code, said = self._end(server)
            late, exceeded = not server.in_time, monitored.exceeded
            if not (late or exceeded or self._closed):
                if not (server.ready or self._proven):
                    told = f"The test {self._test} {ended(code)} when its file was imported."
                    raise NubbinError(told + quoted(said)) from None
                if not cold:
                    return None
            return Answer(Verdict.UNRESOLVED, seconds, code, late, said, cold, exceeded)
        except BaseException:
            self._end(server)
            raise
        self._keep(server)
        if not server.in_time:
            return Answer(Verdict.UNRESOLVED, seconds, None, True, said, cold)
        if cold:
            self._start.learn(seconds)
            self._proven = True
        different = line == b"different"
        return Answer(VERDICTS[line], seconds, None, False, said, cold, different=different)

    # -- who is there ---------------------------------------------------------------------

    def _take(self) -> Server:
        with self._lock:
            if self._idle:
                server = self._idle.pop()
                self._busy.add(server)
                return server
        folder = self._folders.take()
        try:
            server = Server(self._test, self._command, folder)
        except OSError as error:
            self._folders.give_back(folder, ended_well=True)
            raise diagnose(self._test.place, error) or error from error
        with self._lock:
            self._busy.add(server)
        return server

    def _keep(self, server: Server) -> None:
        with self._lock:
            if not self._closed:
                self._busy.discard(server)
                self._idle.append(server)
                return
        self._end(server)

    def _end(self, server: Server) -> tuple[int, bytes]:
        """End a server and what it started; return how it ended, and what it said."""
        with self._lock:
            self._busy.discard(server)
        exit_code = server.close()
        self._folders.give_back(server.folder, ended_well=False)
        return exit_code, server.said()
