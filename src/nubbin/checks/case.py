"""A test under examination: the facts that are known at first, its runs, and their answers."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

from nubbin.documents.document import Document
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.oracle import Oracle, Timeout
from nubbin.oracles.output import quoted_output
from nubbin.oracles.processes.descendants import descendants
from nubbin.oracles.processes.process import exit_in_words
from nubbin.oracles.processes.resource_monitor import work
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern
from nubbin.text.figures import listed
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.search.budget import TimeIsOver
from nubbin_core.search.trials import REJECTED_ONCE, Trials
from nubbin_core.verdict import CANNOT_SAY, Answer, Verdict

#: `fine`; `doubt`: a person should look at it; or `problem`: the test cannot be trusted.
Level = Literal["fine", "doubt", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about a test: a paragraph that says what to do, with the name of the `check`."""

    check: str = field(default="", kw_only=True)
    level: Level
    text: str


class Check(NamedTuple):
    """A named function that looks for one mistake; it returns None if there is nothing to say."""

    name: str
    look: Callable[[Case], Finding | None]

    def __call__(self, case: Case) -> Finding | None:
        """Return the finding, by the name of this check or of the one that found the cause."""
        found = self.look(case)
        return found if found is None or found.check else replace(found, check=self.name)


# A test that rejects its input at first is run again, up to these numbers of runs and seconds.
_MAX_TRIES = 10
_MAX_TRIES_S = 10.0
#: The first run may hang if it writes nothing, and uses this much processor time or almost none.
_PATIENCE_S = 10.0
#: A run waits for something if it uses less processor time than this in a period of patience.
_IDLE_S = 0.05
#: Messages about a file that does not exist.
MISSING = pattern(rb"no such file|not found|cannot open|can't open|no module|enoent", re.I)
#: The answer of a case on whose input no run was made.
NO_ANSWER: Final = Answer(Verdict.UNRESOLVED)


@dataclass(frozen=True, slots=True)
class Checking:
    """A check runs the test for the `run`-th time; earlier runs may not have ended yet.

    Each of these runs is stopped after `limit` seconds (None: never). `took` is the time of the
    slowest run so far that found the input interesting; None before the first. If the first run
    seems to hang after some seconds, there is another event, with these as `waited`.
    """

    run: int
    limit: float | None
    took: float | None
    waited: float | None = None


@dataclass(eq=False)
class Case:
    """A test and the input that it should find interesting; `root` is the folder of the input.

    `spec` makes more oracles like `oracle`. Some runs are parallel if `pool` makes several calls at
    once. A run is stopped after `timeout` seconds; None: after a limit that is learned. `on_run` is
    called before each run, and when an interesting run gives its time. Used by one thread.

    The `trials` of the input, the last `answer` on it, and the `answer_on_nothing`, an empty input,
    may be known at first.
    """

    spec: OracleSpec
    document: Document
    root: Path
    oracle: Oracle
    pool: Pool = field(default_factory=Pool, kw_only=True)
    timeout: float | None = field(default=None, kw_only=True)
    on_run: Callable[[Checking], None] = field(default=lambda event: None, kw_only=True)
    trials: Trials = field(default=Trials(), kw_only=True)
    answer: Answer = field(default=NO_ANSWER, kw_only=True)
    answer_on_nothing: Answer | None = field(default=None, kw_only=True)
    #: The runs on the input that were made alone, and the output of the last interesting run.
    alone: Trials = field(default=Trials(), init=False)
    output: bytes = field(default=b"", init=False)
    trials_of_nothing: Trials = field(default=Trials(), init=False)
    #: Whether a run in parallel with others had another answer than a run alone.
    contradicted: bool = field(default=False, init=False)
    runs: int = field(default=0, init=False)
    #: The time of the slowest run that found the input interesting.
    seconds: float | None = field(default=None, init=False)
    _learned: Timeout = field(default_factory=Timeout, init=False)
    _begun: float = field(default_factory=time.monotonic, init=False)

    @property
    def test(self) -> UserTest:
        """The test."""
        return self.spec.test

    @property
    def is_interesting(self) -> bool:
        """Whether any run has found the input interesting."""
        return self.trials.yes > 0

    @property
    def runs_in_parallel(self) -> bool:
        """Whether runs can be made in parallel."""
        return self.pool.width > 1

    @property
    def limit(self) -> float | None:
        """Seconds that a run may take."""
        return self._learned.limit if self.timeout is None else self.timeout

    @property
    def rejection(self) -> str:
        """A sentence about a test that rejects the input: how its last run ended."""
        return f"{self.test} rejects {self.document.title}: it {run_in_words(self.answer)}."

    def problem(self, text: str) -> Finding:
        """Return a problem, with the output of the last run on the input."""
        return Finding("problem", text + quoted_output(self.answer.output))

    def stopped(self) -> Finding | None:
        """Return a problem if the last run on the input exceeded a limit."""
        answer, title = self.answer, self.document.title
        if not answer.was_stopped:
            return None
        if answer.why:
            return self.problem(
                f"{self.test} cannot be judged on {title} because it takes more than {answer.why} "
                "in its output. An expression with repetitions in a repetition, such as (a+)+, can "
                "take years to find that it does not match. Write it more simply, or give it more "
                "time with --timeout."
            )
        start = " for its start" if answer.cold else ""
        took = answer.exceeded or f"{answer.seconds:.0f} s{start}"
        return self.problem(
            f"{self.test} was stopped on {title} because it took more than {took}. If it hangs, "
            "and that is the bug, say after how many seconds you are sure, in the test or by "
            "--run CMD --hangs 5. Otherwise give it more, by --timeout or --memory."
        )

    def begin(self) -> None:
        """Run the test twice on the input; with several workers, on nothing at the same time.

        With three workers, this takes the time of one run. If the answer on nothing is known, it
        makes one run on the input, or none if that answer is known too.
        """
        if self.answer_on_nothing is not None:
            self.trials_of_nothing = REJECTED_ONCE
            if self.answer is NO_ANSWER:
                self.run(self.document)
            else:
                self._count(self.answer)
            return
        if not self.runs_in_parallel:
            self.run(self.document)
            if not self.answer.was_stopped:
                self.run(self.document)
            return
        first, nothing, second = (
            self._submit(each.contents)
            for each in (self.document, self.document.emptied(), self.document)
        )
        self._count(self._first_answer(first))
        self._count(second.result())
        if not self.is_interesting:
            nothing.cancel()  # what comes now is run alone
            return
        limit = self._learned.limit  # of the other runs; this one may hang
        try:
            answer = nothing.result(None if self.timeout else limit)
        except TimeoutError:
            nothing.cancel()
            answer = Answer(Verdict.UNRESOLVED, limit, timed_out=True)
        self._take_nothing(answer)

    def run(self, document: Document) -> Answer:
        """Run the test on a document, alone."""
        answer = self.ask(document.contents)
        if document is self.document:
            self._count(answer)
            self.alone = self.alone.plus(answer.verdict is Verdict.INTERESTING)
        return answer

    def ask(self, files: Files) -> Answer:
        """Run the test on files, alone; this is not counted as a trial of the input."""
        self.runs += 1
        self._tell()
        if self.runs > 1:
            return self.oracle.explain(files)
        future = self.pool.queue(partial(self.oracle.explain, files))
        return self._first_answer(future)

    def run_by(self, test: UserTest) -> Answer:
        """Run another test on the input, which is not counted at all."""
        with LocalOracle(replace(self.spec, test=test), self.limit) as oracle:
            return oracle.explain(self.document.contents)

    def _first_answer(self, future: Future[Answer]) -> Answer:
        """Return the answer of the first run, and report if it seems to hang.

        It does if it writes nothing and uses much processor time, or almost none. By the clock, a
        run may be slow only because the machine is busy. Raises NubbinError if the time is over.
        """
        waited, first = 0.0, work(descendants(os.getpid()))
        before = first
        with suppress(TimeIsOver):
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
        raise NubbinError(
            "The time of --max-time was over before the first query: the first run of "
            f"{self.test} on {self.document.title} had not ended. If it hangs, and that is the "
            "bug, say after how many seconds you are sure: --hangs 5. If it is only slow, give "
            "more time. Nothing has been written."
        )

    def at_once(self, candidates: Sequence[Files]) -> list[Answer]:
        """Run the test on several candidates, as many at a time as there are workers."""
        futures = [self._submit(files) for files in candidates]
        return [future.result() for future in futures]

    def tries(self) -> Iterator[Answer]:
        """Run the test on the input, alone, again and again, until a limit is reached."""
        while self.trials.runs < _MAX_TRIES:
            if self.trials.runs and time.monotonic() - self._begun > _MAX_TRIES_S:
                return
            yield self.run(self.document)

    def nothing(self) -> Answer:
        """Return the answer on the empty input: of a second run if the first is interesting."""
        return self.answer_on_nothing or self._take_nothing(self.run(self.document.emptied()))

    def _take_nothing(self, answer: Answer) -> Answer:
        self.trials_of_nothing = Trials().plus(answer.verdict is Verdict.INTERESTING)
        if self.trials_of_nothing.yes:  # a flaky test may accept it now and then
            answer = self.run(self.document.emptied())
            still = answer.verdict is Verdict.INTERESTING
            self.trials_of_nothing = self.trials_of_nothing.plus(still)
            self.contradicted |= self.runs_in_parallel and not still
        self.answer_on_nothing = answer
        return answer

    def _submit(self, files: Files) -> Future[Answer]:
        self.runs += 1
        self._tell()
        return self.pool.submit(self.oracle.explain, files)

    def _count(self, answer: Answer) -> None:
        interesting = answer.verdict is Verdict.INTERESTING
        self.trials = self.trials.plus(interesting)
        if interesting:
            self.output = answer.output
        if interesting and not answer.cold:
            self._learned.learn(answer.seconds)
            self.seconds = max(self.seconds or 0.0, answer.seconds)
            self._tell()
        self.answer = answer

    def _tell(self, waited: float | None = None) -> None:
        limit, start = self.limit, self.test.start_limit
        if limit is not None and start and not self.trials.runs:
            limit += max(limit, start)
        self.on_run(Checking(self.runs, limit, self.seconds, waited))


#: A finding about more files than these gives their number, and not all names.
MAX_NAMES = 3

#: The meanings of exit statuses by which a test or its shell reports that it could not run.
_SHELL_CODES = {
    CANNOT_SAY: "cannot say",
    126: "of a shell: it may not execute a command",
    127: "of a shell: it does not find a command",
}


def run_in_words(answer: Answer) -> str:
    """Return how a run that is not interesting ended, as the end of a sentence about the test."""
    if answer.exceeded is not None:
        return f"was stopped because it took more than {answer.exceeded}"
    if answer.timed_out:
        return f"did not finish within {answer.seconds:.0f} s"
    if answer.different and not answer.why:
        return "misbehaved in another way than it should"
    if answer.exit_code is None:
        return "could not tell" if answer.verdict is Verdict.UNRESOLVED else "answered no"
    meaning = _SHELL_CODES.get(answer.exit_code)
    more = f" ({meaning})" if meaning else ""
    return exit_in_words(answer.exit_code) + (f", and {answer.why}" if answer.why else more)


def called(document: Document) -> tuple[str, str]:
    """Describe the contents of a query's folder, and the last argument of the test."""
    if document.packed.is_single:
        return document.name, ", which is also its last argument and its standard input"
    if document.name != ".":
        return f"the folder {document.name}", ", which is also its last argument"
    names = list(document.contents)
    if len(names) > MAX_NAMES:
        return f"the {len(names)} files given", ". Its last argument is that folder"
    return listed(names), ". Its last argument is that folder"
