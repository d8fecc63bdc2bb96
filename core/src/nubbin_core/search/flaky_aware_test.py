"""A test that may be flaky: believed after one run, or only after as many as it takes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import closing
from typing import Any

from nubbin_core.answer import Answer
from nubbin_core.errors import NubbinError
from nubbin_core.in_line import Call, InLine
from nubbin_core.search.counted_test import C, CountedTest
from nubbin_core.search.trials import FALSE_REFUSAL_PROBABILITY, Trials, sprt, told_apart
from nubbin_core.search.verdict_cache import Answered, VerdictCache
from nubbin_core.verdict import Verdict

#: The rate of the original is measured until this many runs were interesting.
_RATE_SUCCESSES = 20
#: A test that finds the original interesting less often than this, in this many runs, is useless.
_MIN_SUCCESSES = 5
_MIN_SUCCESSES_RUNS = 60
#: The original and nothing are run this often to tell their rates apart, so many at a time.
_MAX_RATE_RUNS = 100
_RUNS_AT_A_TIME = 20

#: Of a removal that would be as good, if the test is flaky: what proves a result 1-minimal.
_FALSE_PROOF_PROBABILITY = 0.001

#: Refusals in a row after which the best is run again: it may never have been interesting.
_MAX_REFUSALS_IN_A_ROW = 64

#: The proof of 1-minimality is asked for again, to find out a flaky test, if it has no more queries
#: than these, and they took no longer. Longer runs have asked more questions twice on the way.
_MAX_PROOF_QUERIES = 100
_MAX_PROOF_S = 20.0

_ADVICE = (
    "Make it deterministic: fix seeds, the number of threads and the clock. Or let it run the tool "
    "several times, as --runs N does."
)
_REFUSED = Answer(Verdict.UNINTERESTING, 0.0, None, timed_out=False)


class FlakyDetected(Exception):
    """A test has answered differently when it was asked again about a candidate."""

    def __init__(self, candidate: Any):
        super().__init__()
        self.candidate = candidate


class FlakyAwareTest(CountedTest[C]):
    """Asks a test about candidates: once each, and if it proves flaky, as often as it takes.

    To find out whether it is flaky, some questions are asked twice: the 16th, 64th, 256th, ...
    candidate accepted and refused, the best after 64, 256, ... refusals in a row, and at the end
    the removals that prove the result 1-minimal (`ask_again`), and the result (`confirm` in
    `confirmation`). These runs are made by the `pool`, beside the next questions. If it is, a
    candidate is accepted when its rate is as good as the original's (`trials.sprt`); all trials of
    it count. With `sampled` False nothing is asked twice.

    `nothing` is the candidate without anything. If trials of it are known, the test has refused it,
    and it is never accepted; else it is not if it proves flaky, and interesting less often than the
    original. How often it is interesting all the same, like results that were refused at the end,
    is how often the test says yes wrongly.
    """

    def __init__(
        self,
        ask: Callable[[C], Answer],
        original: C,
        known: Mapping[Any, Trials],
        *,
        nothing: C | None = None,
        note: Callable[[C, Answer, Trials], None] = lambda *_: None,
        sampled: bool = True,
        pool: InLine | None = None,
    ):
        super().__init__(ask, known, note, pool)
        self.original = original
        self._nothing = nothing
        self._refused: frozenset[Hashable] = frozenset(
            () if nothing is None or nothing.key not in known else (nothing.key,)
        )
        self.sampled = sampled
        self._counts = {True: 0, False: 0}
        self._refused_in_a_row = 0
        self._asked_again: list[tuple[C, Call[bool]]] = []
        self.flaky = False
        #: What all answers that were needed have taken.
        self.seconds = 0.0

    def __call__(self, candidate: C) -> Verdict:
        """Return the verdict; costs one run, or if the test is flaky, as many as it takes.

        Costs nothing for what is known to be refused.
        """
        if candidate.key in self._refused:
            self._note(candidate, _REFUSED, self.trials(candidate))
            return Verdict.UNINTERESTING
        if not self.flaky:
            return self.run(candidate)
        verdict = Verdict.UNINTERESTING
        while (good := self._judged(candidate)) is None:
            verdict = self.run(candidate)
        return Verdict.INTERESTING if good else _not_interesting(verdict)

    @property
    def rate(self) -> Trials:
        """How often the original was interesting."""
        return self.trials(self.original)

    @property
    def rate_of_nothing(self) -> Trials:
        """How often nothing was interesting, if that is known to be refused."""
        return Trials() if self._nothing is None else self.trials(self._nothing)

    def _judged(
        self, candidate: C, false_refusal: float = FALSE_REFUSAL_PROBABILITY
    ) -> bool | None:
        wrong = self._wrong_rate
        return sprt(self.trials(candidate), self._good_rate, wrong, false_refusal=false_refusal)

    @property
    def _good_rate(self) -> float:
        """The rate of the original is an estimate: a rate slightly below it is as good."""
        return self.rate.interval(1.0)[0]

    @property
    def _wrong_rate(self) -> float:
        """How often the test finds interesting what is not; a rate slightly above it is as bad."""
        known = [trials for key in self._refused if (trials := self._trials.get(key))]
        return max((trials.interval(1.0)[1] for trials in known), default=0.0)

    def measure_rate(self) -> None:
        """Treat the test as flaky from now on.

        Costs twenty interesting runs on the original, and as many runs on nothing. Raises
        NubbinError if hardly any run on the original is interesting, or nearly as many on nothing.
        """
        self.flaky = True
        while self.rate.yes < _RATE_SUCCESSES:
            if self.rate.runs >= _MIN_SUCCESSES_RUNS and self.rate.yes < _MIN_SUCCESSES:
                raise NubbinError(
                    f"The test is flaky, and found {self.original.title} interesting in "
                    f"{self.rate.yes} of {self.rate.runs} runs only: too seldom to reduce it. "
                    + _ADVICE
                )
            due = _RATE_SUCCESSES - self.rate.yes
            if self.rate.yes < _MIN_SUCCESSES:
                due = min(due, _MIN_SUCCESSES_RUNS - self.rate.runs)
            self.run_often(self.original, due)
        if self._nothing is not None:
            self._measure_nothing(self._nothing)

    def _measure_nothing(self, nothing: C) -> None:
        while True:
            self.run_often(nothing, self.rate.runs - self.rate_of_nothing.runs)
            wrong = self.rate_of_nothing
            if told_apart(self._good_rate, wrong.interval(1.0)[1]):
                self.refuse(nothing)
                return
            if wrong.runs >= _MAX_RATE_RUNS and nothing.key not in self._refused:
                return  # it may be as good
            if wrong.runs >= _MAX_RATE_RUNS:
                raise NubbinError(
                    f"The test is flaky, and found {self.original.title} interesting in "
                    f"{self.rate.yes} of {self.rate.runs} runs, and an empty one in {wrong.yes} of "
                    f"{wrong.runs} runs: too often to tell them apart. {_ADVICE}"
                )
            self.run_often(self.original, _RUNS_AT_A_TIME)

    def start_over(self, original: Trials) -> None:
        """Forget all trials, but for these of the original."""
        self._trials = {self.original.key: original}

    def refuse(self, candidate: C) -> None:
        """Take a candidate for uninteresting from now on, whatever the test says of it."""
        self._refused |= {candidate.key}

    def sample(self, answered: Answered, candidate: Callable[[], C], best: C) -> None:
        """Count an answer that was needed, and ask a few again; raises FlakyDetected.

        What is asked again by several workers is known later: see `settle`.
        """
        verdict = answered.verdict
        self.seconds += answered.seconds
        if self.flaky or not self.sampled or verdict is Verdict.UNRESOLVED:
            return
        interesting = verdict is Verdict.INTERESTING
        self._counts[interesting] += 1
        self._refused_in_a_row = 0 if interesting else self._refused_in_a_row + 1
        again = []
        if _times_due(self._counts[interesting], 16):
            again.append((candidate(), 1))
        if times := _times_due(self._refused_in_a_row, _MAX_REFUSALS_IN_A_ROW):
            again.append((best, times))
        for each, times in again:
            self._asked_again.append((each, self.pool.submit(self._agrees, each, times)))
        self.settle(wait=False)

    def settle(self, *, wait: bool = True) -> None:
        """Take in what has come, or comes, of what was asked again; raises FlakyDetected."""
        asked, self._asked_again = self._asked_again, []
        while asked:
            candidate, future = asked.pop(0)
            if not wait and not future.done():
                self._asked_again.append((candidate, future))
            elif not future.result():
                for _, other in (*asked, *self._asked_again):
                    other.cancel()
                self._asked_again = []
                raise FlakyDetected(candidate)

    def ask_again(self, removals: Iterable[C], answered: VerdictCache) -> None:
        """Ask again about the removals that prove a result 1-minimal; raises FlakyDetected.

        Costs a run for each that was asked about only once, or if the test is flaky, as many as it
        takes to refuse it with a greater certainty. Nothing is asked if they are many, or slow to
        refuse, or if nothing is asked twice.
        """
        if not self.sampled:
            return
        self.settle()
        refused: list[C] = []
        seconds = 0.0
        for removal in removals:
            answer = answered.get(removal.key)
            if answer is not None and answer.verdict is Verdict.UNINTERESTING:
                refused.append(removal)
                seconds += answer.seconds
            if len(refused) > _MAX_PROOF_QUERIES or seconds > _MAX_PROOF_S:
                return
        agrees = self._is_refused if self.flaky else self._agrees
        with closing(self.pool.each(agrees, refused)) as answers:
            for removal, agreed in zip(refused, answers, strict=True):
                if not agreed:
                    raise FlakyDetected(removal)

    def last_interesting(self, chain: list[C]) -> int:
        """Return the index of the last candidate that holds, in a chain of shrinking candidates.

        Found by bisection: if one does not hold, those made from it do not either.
        """
        good, bad = 0, len(chain)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self(chain[middle]) is Verdict.INTERESTING:
                good = middle
            else:
                bad = middle
        return good

    def _agrees(self, candidate: C, times: int = 1) -> bool:
        """Ask about a candidate again; tell whether the test has always said the same of it."""
        while self.trials(candidate).runs <= times:  # or it was, before the run was resumed
            self.run(candidate)
        return self.trials(candidate).agrees

    def _is_refused(self, removal: C) -> bool:
        """Tell whether a removal is not as good as the original, with a greater certainty."""
        if removal.key in self._refused:
            return True
        while (good := self._judged(removal, _FALSE_PROOF_PROBABILITY)) is None:
            self.run(removal)
        return not good


def _not_interesting(verdict: Verdict) -> Verdict:
    return Verdict.UNINTERESTING if verdict is Verdict.INTERESTING else verdict


def _times_due(count: int, first: int) -> int:
    """Return 1 if a count is `first`, 2 if it is four times that, 3 for sixteen, ..., else 0."""
    times = 1
    while count > first and count % 4 == 0:
        count //= 4
        times += 1
    return times if count == first else 0
