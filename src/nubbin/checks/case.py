"""A test under examination: what is known of it at first, its runs, and their answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from nubbin.documents.document import Document
from nubbin.executors.remote_query import OracleSpec
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.processes.descendants import descendants
from nubbin.oracles.processes.resource_usage import work
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.user_test import UserTest
from nubbin_core.answer import Answer
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.search.alarm import TimeIsOver
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

#: A test that is not as expected at first is run again, up to these numbers of runs and seconds.
MAX_TRIES = 10
MAX_TRIES_S = 10.0
#: If the first run uses so much processor time, and prints nothing, it may hang: the user is told.
_PATIENCE_S = 10.0
#: It waits for something if it uses less than this in a period of patience.
_IDLE_S = 0.05
_NO_ANSWER = Answer(Verdict.UNRESOLVED, 0.0, None, False)


@dataclass(frozen=True, slots=True)
class Checking:
    """The test is run, to check it, for the `run`-th time; earlier runs may not have ended yet.

    Each of these runs is stopped after `limit` seconds (None: never). `took` is how long the
    slowest run so far took that found the input interesting; None before the first. If the first
    run seems to hang after some seconds, it is told again, with these as `waited`.
    """

    run: int
    limit: float | None
    took: float | None
    waited: float | None = None


class Known(NamedTuple):
    """What is known of a test before it is checked: runs on the input, and the answer on nothing.

    `answer` is that of one more run on the input, in a folder that no later run is in. If it is the
    answer of a command without conditions, the command fails. Without `nothing`, a check makes all
    of its runs.
    """

    trials: Trials = Trials()
    nothing: Answer | None = None
    answer: Answer | None = None


UNKNOWN: Final = Known()


class Case:
    """A test and the input it is to find interesting; `root` is the folder that the input is in.

    `spec` makes more oracles like `oracle`. If `pool` makes several calls at once, so are some of
    the runs. A run is stopped after `timeout` seconds; None: after
    a limit that is learned. `on_run` is called before each run, and when one has told how long it
    takes. What is `known` costs no more runs. Used by one thread.
    """

    def __init__(
        self,
        spec: OracleSpec,
        document: Document,
        root: Path,
        oracle: Oracle,
        *,
        pool: Pool | None = None,
        timeout: float | None = None,
        on_run: Callable[[Checking], None] = lambda event: None,
        known: Known = UNKNOWN,
    ):
        self.spec = spec
        self.document = document
        self.root = root
        self.pool = pool or Pool()
        #: The runs on the input, those of them that were made alone, the last answer, and what the
        #: last one printed that was interesting.
        self.trials = Trials()
        self.alone = Trials()
        self.answer = _NO_ANSWER
        self.output = b""
        self.trials_of_nothing = Trials()
        #: Whether an answer was another at the same time as other runs than alone.
        self.contradicted = False
        self.runs = 0
        self.oracle = oracle
        self._timeout = timeout
        self._learned = Timeout()
        #: How long the slowest run took that found the input interesting.
        self.seconds: float | None = None
        self._on_run = on_run
        self._nothing: Future[Answer] | None = None
        self._said_of_nothing: Answer | None = None
        self._known = known
        self._begun = time.monotonic()

    @property
    def test(self) -> UserTest:
        """The test."""
        return self.spec.test

    @property
    def is_interesting(self) -> bool:
        """Whether any run has found the input interesting."""
        return self.trials.yes > 0

    @property
    def was_stopped(self) -> bool:
        """Whether the last run on the input exceeded a limit."""
        return self.answer.timed_out or self.answer.exceeded is not None

    @property
    def several(self) -> bool:
        """Whether runs can be made at once."""
        return self.pool.width > 1

    @property
    def limit(self) -> float | None:
        """Seconds that a run may take."""
        return self._learned.limit if self._timeout is None else self._timeout

    def begin(self) -> None:
        """Run the test twice on the input; with several jobs, on nothing at the same time.

        So the start costs the time of one run if there are three jobs. If the answers are known,
        one run on the input is enough, or none.
        """
        known = self._known
        if known.nothing is not None:
            if known.answer is None:
                self.run(self.document)
            else:
                self._take(known.answer)
            self.trials = Trials(*map(sum, zip(self.trials, known.trials, strict=True)))
            self._said_of_nothing = known.nothing
            self.trials_of_nothing = Trials(0, 1)
            return
        if not self.several:
            self.run(self.document)
            if not self.was_stopped:
                self.run(self.document)
            return
        first, nothing, second = (
            self._submit(each.contents)
            for each in (self.document, self.document.emptied(), self.document)
        )
        self._take(self._first(first))
        self._take(second.result())
        self._nothing = nothing
        if not self.is_interesting:
            nothing.cancel()  # what comes now is run alone
            self._nothing = None

    def run(self, document: Document) -> Answer:
        """Run the test on a document, alone."""
        answer = self.ask(document.contents)
        if document is self.document:
            self._take(answer)
            self.alone = self.alone.plus(answer.verdict is Verdict.INTERESTING)
        return answer

    def ask(self, files: Files) -> Answer:
        """Run the test on files, alone; what it says counts as no trial of the input."""
        self._begin_run()
        if self.runs > 1:
            return self.oracle.explain(files)
        future = self.pool.queue(partial(self.oracle.explain, files))
        return self._first(future)

    def _first(self, future: Future[Answer]) -> Answer:
        """Return the answer of the first run; raises NubbinError if the time is over before."""
        with suppress(TimeIsOver):
            return self._awaited(future)
        raise NubbinError(
            "The time of --max-time was over before the first query: the first run of "
            f"{self.test} on {self.document.title} had not ended. If it hangs, and that is the "
            "bug, say after how many seconds you are sure: --hangs 5. If it is only slow, give "
            "more time. Nothing has been written."
        )

    def _awaited(self, future: Future[Answer]) -> Answer:
        """Return the answer of the first run, and tell if that seems to hang.

        It does if it uses much processor time, or none at all, and writes nothing: a run is slow
        on a busy machine by the clock alone.
        """
        waited, first = 0.0, work(descendants(os.getpid()))
        before = first
        while True:
            with suppress(TimeoutError):
                return future.result(_PATIENCE_S)
            waited += _PATIENCE_S
            now = work(descendants(os.getpid()))
            is_idle = now.seconds - before.seconds < _IDLE_S
            is_busy = now.seconds - first.seconds >= _PATIENCE_S
            if now.written == before.written and (is_idle or is_busy):
                self._tell(waited=waited)
                return future.result()
            before = now

    def at_once(self, candidates: Sequence[Files]) -> list[Answer]:
        """Run the test on several candidates, as many at a time as there are jobs."""
        if not self.several:
            return [self.ask(files) for files in candidates]
        futures = [self._submit(files) for files in candidates]
        return [future.result() for future in futures]

    def try_again(self) -> None:
        """Run the test on the input, alone, until it is interesting or that was tried enough."""
        while not self.is_interesting and self.trials.runs < MAX_TRIES:
            if time.monotonic() - self._begun > MAX_TRIES_S:
                return
            self.run(self.document)

    def nothing(self) -> Answer:
        """Return the answer on the empty input: of a second run if the first is interesting."""
        if self._said_of_nothing is None:
            answer = self._take_of_nothing(self._first_of_nothing())
            if answer.verdict is Verdict.INTERESTING:  # a flaky test may say so now and then
                answer = self._take_of_nothing(self.run(self.document.emptied()))
                self.contradicted |= self.several and answer.verdict is not Verdict.INTERESTING
            self._said_of_nothing = answer
        return self._said_of_nothing

    def _take_of_nothing(self, answer: Answer) -> Answer:
        interesting = answer.verdict is Verdict.INTERESTING
        self.trials_of_nothing = self.trials_of_nothing.plus(interesting)
        return answer

    def _first_of_nothing(self) -> Answer:
        """Return what the test says of the empty input.

        If it runs at the same time as others, it is stopped after the limit that these have taught.
        """
        future, self._nothing = self._nothing, None
        if future is None:
            return self.run(self.document.emptied())
        try:
            return future.result(None if self._timeout else self._learned.limit)
        except TimeoutError:
            future.cancel()
            return Answer(Verdict.UNRESOLVED, self._learned.limit, None, timed_out=True)

    def _submit(self, files: Files) -> Future[Answer]:
        self._begin_run()
        return self.pool.submit(self.oracle.explain, files)

    def _take(self, answer: Answer) -> None:
        """Take in what a run on the input has said."""
        interesting = answer.verdict is Verdict.INTERESTING
        self.trials = self.trials.plus(interesting)
        if interesting:
            self.output = answer.output
        if interesting and not answer.cold:
            self._learned.learn(answer.seconds)
            self.seconds = max(self.seconds or 0.0, answer.seconds)
            self._tell()
        self.answer = answer

    def _begin_run(self) -> None:
        self.runs += 1
        self._tell()

    def _tell(self, waited: float | None = None) -> None:
        limit, start = self.limit, self.test.start_limit
        if limit is not None and start and not self.trials.runs:
            limit += max(limit, start)
        self._on_run(Checking(self.runs, limit, self.seconds, waited))
