"""A test that is a server: a program that is started once and asked many times."""

from __future__ import annotations

import os
import shlex
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nubbin.oracles.commands.command_test import diagnose, locate
from nubbin.oracles.isolation.candidate_files import Candidate
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner, Timeout
from nubbin.oracles.output import quoted_output
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin.oracles.processes.line_child import BadLine, LineChild, NoLine, quoted_line
from nubbin.oracles.processes.process import exit_in_words
from nubbin.oracles.processes.supervisors import Supervisors
from nubbin.oracles.user_test import UserTest
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Answer, Verdict

#: The answers that a server may give.
VERDICTS = {verdict.value.encode(): verdict for verdict in Verdict} | {
    b"different": Verdict.UNINTERESTING
}

_MAX_ANSWER_BYTES = 1 << 12
_FORK_END_TIMEOUT_S = 10.0  # after that, a fork server that has to end its fork hangs


class Server:
    """A child process that answers the queries of a test, one line each; `folder` is its TMPDIR.

    A program of the user's reads the path of a candidate, and answers `interesting`,
    `uninteresting`, `unresolved`, or `different`, which is uninteresting because of a different
    failure.

    Used by one thread at a time; others may only kill its `child` or call `give_up`. Raises
    NubbinError if it cannot be started.
    """

    ready = True  # it has started: if it ends, a candidate may be the reason

    def __init__(
        self, test: UserTest, command: Sequence[str], folder: str, supervisors: Supervisors
    ):
        self.test = test
        self.folder = folder
        self.cold = True  # it has not answered yet
        self.in_time = True  # the last answer came within the limit
        environment = {**os.environb, b"TMPDIR": os.fsencode(folder)}
        try:
            self.child = LineChild(
                command,
                folder=test.folder,
                environment=environment,
                max_bytes=_MAX_ANSWER_BYTES,
                start=partial(supervisors.start, folder),
            )
        except OSError as error:
            raise diagnose(test.path, error, test.folder) or error from None

    def ask(self, candidate: Candidate, limit: float | None, start_limit: float) -> bytes:
        """Return the answer for a candidate, one of VERDICTS.

        Waits for `limit` seconds (None: no limit). While the server starts, it waits for
        `start_limit` seconds if these are more. Returns early if the query of the thread is
        cancelled, but a server that cannot stop a query still has `start_limit` seconds to answer.

        Raises NoLine if the server has ended or is of no more use, and NubbinError for any other
        answer. `in_time` is false if the limit was the reason.
        """
        try:
            with cancellation.current().wake_descriptor() as wake:
                answer = self._answer(candidate, limit, start_limit, wake)
            if answer not in VERDICTS:
                raise BadLine(f"answered {quoted_line(answer)}")
        except BadLine as error:
            raise NubbinError(_BAD_LINE.format(self.test, error)) from None
        self.cold = False
        return answer

    def give_up(self) -> None:
        """End the current query; may be called by any thread, and returns at once."""
        self.child.kill()

    def _answer(
        self, candidate: Candidate, limit: float | None, start_limit: float, wake: int
    ) -> bytes:
        return self._ask_to_end(os.fsencode(candidate.path), limit, start_limit, wake).strip()

    def _ask_to_end(self, line: bytes, limit: float | None, start_limit: float, wake: int) -> bytes:
        """Ask a server that cannot stop a query; wait for the answer or the end of its time."""
        if self.cold and limit is not None:
            limit = max(limit, start_limit)
        asked = time.monotonic()
        answer = self.child.ask(line, limit, wake)
        if answer is None:  # the answer is late, or the query is cancelled
            left = start_limit
            if limit is not None:
                left = min(left, asked + limit - time.monotonic())
            answer = self.child.wait(left)
        if answer is None:
            self.in_time = False
            raise NoLine
        return answer


class FunctionServer(Server):
    """The fork server of a Python function, `nubbin.oracles.servers.fork_server`.

    It answers its first line, `load`, when it has imported the function. From then on, giving up a
    query ends its fork and not the server.
    """

    ready = False
    _query: CancelToken  # the current one, once it is ready

    def __init__(self, load: bytes, *given: Any):
        super().__init__(*given)
        self._load = load

    def give_up(self) -> None:
        if self.ready:
            self._query.cancel()
        else:
            self.child.kill()

    def _answer(
        self, candidate: Candidate, limit: float | None, start_limit: float, wake: int
    ) -> bytes:
        self._query = cancellation.current()
        if not self.ready:
            if error := self._ask_to_end(self._load, limit, start_limit, wake):
                raise NubbinError(error.decode() + quoted_output(self.child.stderr()))
            self.ready = True
        line = os.fsencode(f"{candidate.folder}\0{candidate.path}")
        answer = self.child.ask(line, limit, wake)
        self.in_time = answer is not None
        if answer is None:
            self.child.send(b"")
            answer = self.child.wait(_FORK_END_TIMEOUT_S)
        if answer is None:
            raise NoLine
        if answer not in VERDICTS:
            raise NubbinError(f"{self.test} is no test: {answer.decode()}")
        return answer


_BAD_LINE = (
    "The server {} {}. For each path that it reads it must print one line: interesting, "
    "uninteresting, unresolved or different. It can print anything to standard error."
)


class ServerPool(Runner):
    """As many servers as there are queries at a time, each started when it is first needed.

    Each is made by `server`, and has a folder of its own. A server that exceeds the time limit is
    killed, and the next query starts another. If a server ends during a query, a new one is asked
    again, because an earlier candidate may have ended it. Once a server has answered, the first
    answer of another may take ten times as long, if the limit is shorter. Before that, the limit
    counts.
    """

    def __init__(
        self,
        test: UserTest,
        command: Sequence[str],
        folders: QueryFolders,
        server: Callable[..., Server] = Server,
    ):
        box = folders.sandbox
        self._test = test
        self._command = command if box is None else box.around(command, folders.root)
        self._folders = folders
        self._server = server
        self._start_timeout = Timeout()
        self._proven = False  # a server has answered
        self._lock = threading.Lock()
        self._idle: list[Server] = []
        self._busy: set[Server] = set()
        self._closed = False

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Ask a server; raises NubbinError if none can be started, or if it gives no verdict."""
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
                server.child.kill()
        for server in idle:
            self._end(server)

    def _ask(self, server: Server, candidate: Candidate, limit: float | None) -> Answer | None:
        """Ask a server; None if it has ended, and a new one may answer."""
        line, answer = self._asked(server, candidate, limit)
        if answer.was_stopped or (line is None and self._closed):
            return answer
        if line is None:
            if not (server.ready or self._proven):
                raise NubbinError(
                    f"The test {self._test} {exit_in_words(answer.exit_code or 0)} when its file "
                    f"was imported.{quoted_output(answer.output)}"
                )
            return answer if answer.cold else None
        if answer.cold:
            self._start_timeout.learn(answer.seconds)
            self._proven = True
        return answer._replace(verdict=VERDICTS[line], different=line == b"different")

    def _asked(
        self, server: Server, candidate: Candidate, limit: float | None
    ) -> tuple[bytes | None, Answer]:
        """Return the line of a server, None if it has ended; and the answer without a verdict."""
        cold, line, code = server.cold, None, None
        start_limit = self._start_timeout.limit if self._proven else self._test.start_limit
        started = time.perf_counter()
        try:
            with self._folders.monitor.monitored(server.folder, server.give_up) as monitored:
                try:
                    line = server.ask(candidate, limit, start_limit)
                finally:
                    seconds = time.perf_counter() - started
            stderr = server.child.stderr()
        except NoLine:
            code, stderr = self._end(server)
        except BaseException:
            self._end(server)
            raise
        else:
            self._release(server)
        return line, Answer(
            Verdict.UNRESOLVED,
            seconds,
            exit_code=code,
            timed_out=not (server.in_time or monitored.exceeded),
            output=stderr,
            cold=cold,
            exceeded=monitored.exceeded,
        )

    # -- which servers there are -----------------------------------------------------------

    def _acquire(self) -> Server:
        with self._lock:
            if self._idle:
                server = self._idle.pop()
                self._busy.add(server)
                return server
        folder = self._folders.workspace.new_folder()
        try:
            server = self._server(self._test, self._command, folder, self._folders.supervisors)
        except BaseException:
            self._folders.workspace.remove_folder(folder)
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
        exit_code = server.child.close()
        self._folders.workspace.remove_folder(server.folder)
        return exit_code, server.child.stderr()


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
        return ServerPool(self, self.words, folders)
