"""One running server: how it is asked, and how a question is given up."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from nubbin.oracles import cancellation
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.line_child import BadLine, LineChild, NoLine, shown
from nubbin.oracles.output import quoted
from nubbin.oracles.runner import Candidate
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict

#: What a server may answer.
VERDICTS = {verdict.value.encode(): verdict for verdict in Verdict} | {
    b"different": Verdict.UNINTERESTING
}

_MAX_ANSWER_BYTES = 1 << 12
_DYING_S = 10.0  # until a zygote that was told to end its fork is thought to hang


class Server:
    """A server that was started for a test, with a folder that is its TMPDIR.

    A Python function has a zygote for a server (`nubbin.oracles.zygote`). It is first asked to
    import the file; after that a question that is given up costs the fork, not the server.

    Used by one thread at a time; only `kill` may be called by others. Raises OSError when it
    cannot be started.
    """

    def __init__(self, test: UserTest, command: Sequence[str], folder: str):
        self.folder = folder
        self.cold = True  # not asked yet
        self.ready = test.kind == "server"  # the file of a function is not imported yet
        self.in_time = True
        self._test = test
        self._forks = test.kind == "python"
        # Forks inherit this TMPDIR; spelled with `//` it does not mark them as parts of the server.
        temporary = folder.replace("/", "//") if self._forks else folder
        self._child = LineChild(
            command,
            folder=test.folder,
            environment={**os.environb, b"TMPDIR": os.fsencode(temporary)},
            max_bytes=_MAX_ANSWER_BYTES,
        )
        self.kill = self._child.kill
        self.said = self._child.said

    def ask(self, candidate: Candidate, limit: float | None, start: float) -> bytes:
        """Return the answer for a candidate, one of VERDICTS; `in_time` tells if it came by itself.

        Waits for `limit` seconds (None: no limit), or `start` seconds while the server starts, if
        these are more. Comes back early when the switch of the thread is thrown; a server that
        cannot stop is given `start` seconds then to answer nevertheless. Raises NoLine when the
        server has ended, or is of no more use; UnusableTest if it says anything else.
        """
        longer = limit if limit is None else max(limit, start)
        path = os.fsencode(candidate.path)
        cold, self.cold = self.cold, False
        try:
            with cancellation.current().readable() as wake:
                if not self._forks:
                    answer = self._answer(path, longer if cold else limit, start, wake).strip()
                else:
                    if not self.ready:
                        self._import(longer, start, wake)
                    answer = self._fork(os.fsencode(candidate.folder) + b"\0" + path, limit, wake)
            if answer not in VERDICTS:
                raise BadLine(f"answered {shown(answer)}")
            return answer
        except BadLine as error:
            raise NubbinError(_BAD_LINE.format(self._test, error)) from None

    def close(self) -> int:
        """End the server and its group; return how it ended, see `Process.exit_code`."""
        return self._child.close()

    def _answer(self, line: bytes, limit: float | None, patience: float, wake: int) -> bytes:
        """Ask what cannot be stopped; given up, it is not waited for longer than `patience`."""
        asked = time.monotonic()
        answer = self._child.ask(line, limit, wake)
        if answer is None:
            left = patience if limit is None else min(patience, asked + limit - time.monotonic())
            answer = self._child.wait(left)
        if answer is None:
            self.in_time = False
            raise NoLine
        return answer

    def _import(self, limit: float | None, patience: float, wake: int) -> None:
        told = self._answer(b"import", limit, patience, wake)
        if told:
            raise NubbinError(told.decode() + quoted(self._child.said()))
        self.ready = True

    def _fork(self, line: bytes, limit: float | None, wake: int) -> bytes:
        answer = self._child.ask(line, limit, wake)
        self.in_time = answer is not None
        if answer is None:
            self._child.send(b"")
            answer = self._child.wait(_DYING_S)
        if answer is None:
            raise NoLine
        return answer


_BAD_LINE = (
    "The server {} {}. For each path that it reads it must print one line: interesting, "
    "uninteresting, unresolved or different. What else it has to say goes to standard error."
)
