"""One running server: ask it about a candidate, and give up a query."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial

from nubbin.oracles.oracle import Candidate
from nubbin.oracles.output import quoted
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin.oracles.processes.executable import diagnose
from nubbin.oracles.processes.keepers import Keepers
from nubbin.oracles.processes.line_child import BadLine, LineChild, NoLine, shown
from nubbin.oracles.user_test import UserTest
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict

#: The answers that a server may give.
VERDICTS = {verdict.value.encode(): verdict for verdict in Verdict} | {
    b"different": Verdict.UNINTERESTING
}

_MAX_ANSWER_BYTES = 1 << 12
#: For the import of a function's file, until one was imported; or the time limit if longer.
IMPORT_TIMEOUT_S = 30.0
_FORK_END_TIMEOUT_S = 10.0  # after that, a fork server that has to end its fork hangs


class Server(ABC):
    """A child process that answers the queries of a test; `folder` is its TMPDIR.

    Used by one thread at a time; others may only call `kill` and `give_up`. Raises NubbinError if
    it cannot be started.
    """

    #: Whether it has started, so that a candidate may be the reason if it ends.
    ready = True

    def __init__(self, test: UserTest, command: Sequence[str], folder: str, keepers: Keepers):
        self.folder = folder
        self.cold = True  # it has not answered yet
        self.in_time = True  # the last answer came within the limit
        self._query = CancelToken()
        self.test = test
        environment = {**os.environb, b"TMPDIR": os.fsencode(folder)}
        try:
            self._child = LineChild(
                command,
                folder=test.folder,
                environment=environment,
                max_bytes=_MAX_ANSWER_BYTES,
                start=partial(keepers.start, folder),
            )
        except OSError as error:
            raise diagnose(test.path, error, test.folder) or error from None
        self.kill = self._child.kill
        self.stderr = self._child.stderr

    def ask(self, candidate: Candidate, limit: float | None, start_limit: float | None) -> bytes:
        """Return the answer for a candidate, one of VERDICTS.

        Waits for `limit` seconds (None: no limit). While the server starts, it waits for
        `start_limit` seconds if these are more; None: no server has started yet. Returns early if
        the query of the thread is cancelled, but a server that cannot stop a query still has
        `start_limit` seconds to answer.

        Raises NoLine if the server has ended or is of no more use, and NubbinError for any other
        answer. `in_time` is false if the limit was the reason.
        """
        try:
            self._query = cancellation.current()
            with self._query.wake_descriptor() as wake:
                answer = self._answer(candidate, limit, start_limit, wake)
            if answer not in VERDICTS:
                raise BadLine(f"answered {shown(answer)}")
        except BadLine as error:
            raise NubbinError(_BAD_LINE.format(self.test, error)) from None
        self.cold = False
        return answer

    def close(self) -> int:
        """End the server and its processes; return its exit code, see `Process.exit_code`."""
        return self._child.close()

    def give_up(self) -> None:
        """End the current query; may be called by any thread, and returns at once."""
        self.kill()

    @abstractmethod
    def _answer(
        self, candidate: Candidate, limit: float | None, start_limit: float | None, wake: int
    ) -> bytes:
        """See `ask`; when the descriptor `wake` becomes readable, the query is cancelled."""

    def _ask_to_end(
        self, line: bytes, limit: float | None, start_limit: float | None, wake: int
    ) -> bytes:
        """Ask a server that cannot stop a query; wait for the answer or the end of its time."""
        start_limit = start_limit or 0.0
        if self.cold and limit is not None:
            limit = max(limit, start_limit)
        asked = time.monotonic()
        answer = self._child.ask(line, limit, wake)
        if answer is None:  # the answer is late, or the query is cancelled
            left = start_limit
            if limit is not None:
                left = min(left, asked + limit - time.monotonic())
            answer = self._child.wait(left)
        if answer is None:
            self.in_time = False
            raise NoLine
        return answer


class LineServer(Server):
    """A program of the user's: it reads the path of a candidate as a line, and prints an answer.

    The answer is a line: `interesting`, `uninteresting`, `unresolved`, or `different`, which is
    uninteresting because of a different failure.
    """

    def _answer(
        self, candidate: Candidate, limit: float | None, start_limit: float | None, wake: int
    ) -> bytes:
        line = os.fsencode(candidate.path)
        return self._ask_to_end(line, limit, start_limit, wake).strip()


class Zygote(Server):
    """The fork server of a Python function, `nubbin.oracles.servers.zygote`: a fork for each query.

    It first imports the file, or loads a `copied` function. From then on, giving up a query ends
    the fork and not the server.
    """

    ready = False

    def __init__(
        self,
        test: UserTest,
        command: Sequence[str],
        folder: str,
        keepers: Keepers,
        copied: bytes = b"",
    ):
        super().__init__(test, command, folder, keepers)
        self._copied = copied

    def give_up(self) -> None:
        """See `Server.give_up`."""
        if self.ready:
            self._query.cancel()
        else:
            self.kill()

    def _answer(
        self, candidate: Candidate, limit: float | None, start_limit: float | None, wake: int
    ) -> bytes:
        if not self.ready:
            import_limit = IMPORT_TIMEOUT_S if start_limit is None else start_limit
            if error := self._ask_to_end(b"import" + self._copied, limit, import_limit, wake):
                raise NubbinError(error.decode() + quoted(self.stderr()))
            self.ready = True
        line = os.fsencode(f"{candidate.folder}\0{candidate.path}")
        answer = self._child.ask(line, limit, wake)
        self.in_time = answer is not None
        if answer is None:
            self._child.send(b"")
            answer = self._child.wait(_FORK_END_TIMEOUT_S)
        if answer is None:
            raise NoLine
        if answer not in VERDICTS:
            raise NubbinError(f"{self.test} is no test: {answer.decode()}")
        return answer


_BAD_LINE = (
    "The server {} {}. For each path that it reads it must print one line: interesting, "
    "uninteresting, unresolved or different. It can print anything to standard error."
)
