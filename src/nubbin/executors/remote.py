"""The user's test, run by the workers of any executor."""

from __future__ import annotations

from concurrent.futures import CancelledError, Executor
from dataclasses import replace

from nubbin.executors.errand import Brief, Errand, Post, answer
from nubbin.oracles import cancellation
from nubbin.oracles.files import Files
from nubbin.oracles.oracle import Answer
from nubbin.oracles.timed import TimedOracle
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict

#: Bytes; less is sent as it is.
_SMALL = 1 << 14


class RemoteOracle(TimedOracle):
    """Has queries answered by an executor, whose calls may be pickled and run anywhere.

    Candidates go there as deltas of a base that each worker is sent once: the `files` of the
    input, and then an interesting candidate whenever there is one of half the size; so all bases
    weigh no more than twice the input. `timeout` is as in `TimedOracle`, and taught here.

    A query that is cancelled (`nubbin.oracles.cancellation`) is cancelled in the executor;
    whether a worker that runs it stops is the executor's affair.
    """

    def __init__(
        self, executor: Executor, post: Post, files: Files, timeout: Timeout | float | None
    ):
        super().__init__(timeout)
        self._executor = executor
        self._brief = _brief(post, files)

    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        """Have the test run on a candidate, for at most `limit` seconds.

        Raises what `LocalOracle.ask` does, and BrokenExecutor where there are no workers left.
        """
        brief = self._brief
        errand = Errand.of(files, brief, limit, explain=explain)
        told = self._sent(errand) or self._sent(replace(errand, brief=brief.packed))
        assert told is not None, "a worker with the brief answers"
        if told.verdict is Verdict.INTERESTING and 2 * _size(files) < _size(brief.base):
            self._brief = _brief(brief.post, files)
        return told

    def _sent(self, errand: Errand) -> Answer | None:
        switch = cancellation.current()
        future = self._executor.submit(answer, errand)

        def stop() -> None:
            future.cancel()

        with switch.stops(stop):
            told = future.result()
        if switch.thrown:
            raise CancelledError
        return told


def _brief(post: Post, files: Files) -> Brief:
    return Brief(post, dict(files) if _size(files) > _SMALL else {})


def _size(files: Files) -> int:
    return sum(map(len, files.values()))
