"""A test that is a server: started once, asked many times."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass

from nubbin.oracles import cancellation
from nubbin.oracles.errors import BadTest
from nubbin.oracles.executable import diagnose
from nubbin.oracles.folders import Folders
from nubbin.oracles.line_server import LineServer, NoLine
from nubbin.oracles.oracle import Answer
from nubbin.oracles.runner import Candidate
from nubbin.oracles.sandbox import Sandbox
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict

_DIFFERENT = b"different"
_VERDICTS = {verdict.value.encode(): verdict for verdict in Verdict} | {
    _DIFFERENT: Verdict.UNINTERESTING
}


class Servers:
    """As many servers as there are queries at a time, each started when it is first needed.

    A server reads a line, the absolute path of a candidate, and answers with a line:
    `interesting`, `uninteresting`, `unresolved`, or `different`, which is uninteresting, but
    misbehaves in another way. One that ran into the time limit is killed, and the next query
    starts another; one that ended while it was asked is replaced, and the new one asked again, for
    what ended it may have been an earlier candidate. The first answer of a server is given the
    time that others needed to start.

    A Python function is served by `nubbin.oracles.zygote`, which imports it once and forks for
    each query: there only the fork is killed.

    In a sandbox a server can write in the folders of all queries, and nowhere else.
    """

    def __init__(self, test: UserTest, folders: Folders, sandbox: Sandbox | None):
        self._forks = test.kind == "python"
        if self._forks:
            options = [*test.words, os.pathsep.join(sys.path)]
            self._command = [sys.executable, "-P", "-m", "nubbin.oracles.zygote", *options]
        else:
            self._command = [*test.words]
        if sandbox is not None:
            self._command = sandbox.around(self._command, folders.root)
        self._test = test
        self._folders = folders
        self._first = Timeout()  # for the first answer of a server
        self._lock = threading.Lock()
        self._idle: list[_Housed] = []
        self._busy: set[_Housed] = set()
        self._closed = False

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Ask a server; raises BadTest if none can be started, or it answers something else."""
        if "\n" in candidate.path:
            raise BadTest(
                self._test.place,
                "A server reads paths by the line, and the name of the input has a line break in "
                "it. Give the input another name.",
            )
        while True:
            housed = self._take()
            answer = self._ask(housed, candidate, limit)
            if answer is not None:
                return answer

    def close(self) -> None:
        """End the servers; whoever still asks one learns that it has ended."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for housed in self._busy:
                housed.server.kill()
        for housed in idle:
            self._end(housed)

    def _ask(self, housed: _Housed, candidate: Candidate, limit: float | None) -> Answer | None:
        """Ask a server; None if it has ended and another, that is new, may fare better."""
        server = housed.server
        cold = not server.asked
        if cold and limit is not None:
            limit = max(limit, self._first.limit)
        switch = cancellation.current()
        started = time.perf_counter()
        place = os.fsencode(candidate.path)
        if self._forks:
            place = os.fsencode(candidate.folder) + b"\0" + place
        try:
            with (
                switch.stops(server.give_up),
                self._folders.watched(housed.folder, server.kill) as watched,
            ):
                line = server.ask(place, limit, self._first.limit)
            seconds = time.perf_counter() - started
            said = server.said()
            if line not in _VERDICTS:
                raise BadTest(self._test.place, _NO_VERDICT.format(test=self._test, line=line))
        except NoLine:
            seconds = time.perf_counter() - started
            code, said = self._end(housed)
            exceeded = watched.exceeded
            if server.in_time and not cold and not exceeded and not self._closed:
                return None
            late = not server.in_time
            return Answer(Verdict.UNRESOLVED, seconds, code, late, said, cold, exceeded)
        except BaseException:
            self._end(housed)
            raise
        self._keep(housed)
        if not server.in_time:
            return Answer(Verdict.UNRESOLVED, seconds, None, True, said, cold)
        if cold:
            self._first.learn(seconds)
        different = line == _DIFFERENT
        return Answer(_VERDICTS[line], seconds, None, False, said, cold, different=different)

    # -- who is there ---------------------------------------------------------------------

    def _take(self) -> _Housed:
        with self._lock:
            if self._idle:
                housed = self._idle.pop()
                self._busy.add(housed)
                return housed
        folder = self._folders.take()
        # In other words where there are forks, lest these be taken for parts of the server.
        temporary = folder.replace("/", "//") if self._forks else folder
        environment = {**os.environb, b"TMPDIR": os.fsencode(temporary)}
        try:
            server = LineServer(
                self._command,
                folder=self._test.folder,
                environment=environment,
                obeys=self._forks,
            )
        except OSError as error:
            self._folders.give_back(folder, ended_well=True)
            raise diagnose(self._test.place, error) or error from error
        housed = _Housed(server, folder)
        with self._lock:
            self._busy.add(housed)
        return housed

    def _keep(self, housed: _Housed) -> None:
        with self._lock:
            self._busy.discard(housed)
            self._idle.append(housed)

    def _end(self, housed: _Housed) -> tuple[int, bytes]:
        """End a server and what it started; return how it ended, and what it said."""
        with self._lock:
            self._busy.discard(housed)
        exit_code = housed.server.close()
        self._folders.give_back(housed.folder, ended_well=False)
        return exit_code, housed.server.said()


@dataclass(frozen=True, slots=True, eq=False)
class _Housed:
    """A server, and the folder that is its TMPDIR."""

    server: LineServer
    folder: str


_NO_VERDICT = (
    "The server {test} answered {line!r}. For each path that it reads it must print one line: "
    "interesting, uninteresting, unresolved or different. What else it has to say goes to standard "
    "error."
)
