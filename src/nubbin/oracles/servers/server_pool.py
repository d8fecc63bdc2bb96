"""Run a test that is a server: it is started once and asked many times."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Candidate
from nubbin.oracles.output import quoted
from nubbin.oracles.processes.keepers import Keepers
from nubbin.oracles.processes.line_child import NoLine
from nubbin.oracles.processes.process import ended
from nubbin.oracles.servers.server import VERDICTS, Server
from nubbin.oracles.timeout import Timeout
from nubbin_core.answer import Answer
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict


class ServerPool:
    """As many servers as there are queries at a time, each started when it is first needed.

    `start` starts one by the command, in a folder of its own. A server that exceeds the time limit
    is killed, and the next query starts another. If a server ends during a query, a new one is
    asked again, because an earlier candidate may have ended it. Once a server has answered, the
    first answer of another may take ten times as long, if the limit is shorter. Before that, the
    limit counts.
    """

    def __init__(
        self,
        start: Callable[[Sequence[str], str, Keepers], Server],
        command: Sequence[str],
        folders: QueryFolders,
        sandbox: Sandbox | None,
    ):
        self._start = start
        self._command = command if sandbox is None else sandbox.around(command, folders.root)
        self._folders = folders
        self._start_timeout = Timeout()
        self._proven = False  # a server has answered
        self._lock = threading.Lock()
        self._idle: list[Server] = []
        self._busy: set[Server] = set()
        self._closed = False

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Ask a server.

        Raises NubbinError if none can be started, or if it answers anything but a verdict.
        """
        if "\n" in candidate.path:
            raise NubbinError(
                "A server reads paths by the line, and the name of the input has a line break in "
                "it. Give the input another name."
            )
        while True:
            answer = self._ask(self._acquire(), candidate, limit)
            if answer is not None:
                return answer

    def close(self) -> None:
        """End the servers; a query that waits for one becomes unresolved."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for server in self._busy:
                server.kill()
        for server in idle:
            self._end(server)

    def _ask(self, server: Server, candidate: Candidate, limit: float | None) -> Answer | None:
        """Ask a server; None if it has ended, and a new one may answer."""
        cold = server.cold
        started = time.perf_counter()
        try:
            with self._folders.monitored(server.folder, server.give_up) as monitored:
                start_limit = self._start_timeout.limit if self._proven else None
                line = server.ask(candidate, limit, start_limit)
            seconds = time.perf_counter() - started
            stderr = server.stderr()
        except NoLine:
            seconds = time.perf_counter() - started
            code, stderr = self._end(server)
            late, exceeded = not server.in_time, monitored.exceeded
            if not (late or exceeded or self._closed):
                if not (server.ready or self._proven):
                    raise NubbinError(
                        f"The test {server.test} {ended(code)} when its file was imported."
                        + quoted(stderr)
                    ) from None
                if not cold:
                    return None
            return Answer(Verdict.UNRESOLVED, seconds, code, late, stderr, cold, exceeded)
        except BaseException:
            self._end(server)
            raise
        self._release(server)
        if (exceeded := monitored.exceeded) or not server.in_time:
            return Answer(Verdict.UNRESOLVED, seconds, None, not exceeded, stderr, cold, exceeded)
        if cold:
            self._start_timeout.learn(seconds)
            self._proven = True
        different = line == b"different"
        return Answer(VERDICTS[line], seconds, None, False, stderr, cold, different=different)

    # -- which servers there are -----------------------------------------------------------

    def _acquire(self) -> Server:
        """Return an idle server, or a new one."""
        with self._lock:
            if self._idle:
                server = self._idle.pop()
                self._busy.add(server)
                return server
        folder = self._folders.acquire()
        try:
            server = self._start(self._command, folder, self._folders.keepers)
        except BaseException:
            self._folders.release(folder)
            raise
        with self._lock:
            self._busy.add(server)
        return server

    def _release(self, server: Server) -> None:
        with self._lock:
            if not self._closed:
                self._busy.discard(server)
                self._idle.append(server)
                return
        self._end(server)

    def _end(self, server: Server) -> tuple[int, bytes]:
        """End a server and its processes; return its exit code and its standard error."""
        with self._lock:
            self._busy.discard(server)
        exit_code = server.close()
        self._folders.release(server.folder)
        return exit_code, server.stderr()
