"""A test that may be flaky: believed after one run, or only after as many as it takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from nubbin.errors import NubbinError
from nubbin.oracles.oracle import Answer
from nubbin.search.trials import FALSE_REFUSAL_PROBABILITY, Trials, sprt, told_apart
from nubbin.search.verdict_cache import VerdictCache
from nubbin.verdict import Verdict

#: The rate of the original is measured until this many runs were interesting.
_RATE_SUCCESSES = 20
#: A test that finds the original interesting less often than this, in this many runs, is useless.
_MIN_SUCCESSES = 5
_MIN_SUCCESSES_RUNS = 60
#: The original and nothing are run this often to tell their rates apart.
_MAX_RATE_RUNS = 100

#: The result is run again twelve times, or fewer if that takes longer, but at least three times. A
#: result that is interesting in half of its runs passes twelve with a probability of 0.0002, one
#: in a tenth of them passes three with 0.001.
_RESULT_RUNS = 12
_MIN_RESULT_RUNS = 3
_MAX_RESULT_S = 1.0

#: Runs of the result if the test is flaky, at a time and at most, unless 99 % intervals of its rate
#: and the original's are apart before. A result that is as good is refused in 0.1 % of all cases if
#: that rate is 0.9, in 1 % if it is a half or a fifth.
_FLAKY_RESULT_RUNS = 20
_MAX_FLAKY_RESULT_RUNS = 400
_APART_DEVIATIONS = 2.58

#: Of a removal that would be as good, if the test is flaky: what proves a result 1-minimal.
_FALSE_PROOF_PROBABILITY = 0.001

#: Runs of the result if the user gives the number of runs of a candidate.
_GIVEN_RESULT_RUNS = 3

#: Refusals in a row after which the best is run again: it may never have been interesting.
_MAX_REFUSALS_IN_A_ROW = 64

#: The proof of 1-minimality is asked for again, to find out a flaky test, if it has no more queries
#: than these, and they took no longer. Longer runs have asked more questions twice on the way.
_MAX_PROOF_QUERIES = 100
_MAX_PROOF_S = 20.0

_ADVICE = (
    "Make it answer alike more often: fix seeds, the number of threads and the clock, or run the "
    "tool several times in it; or give --runs N, which does the latter."
)
_REFUSED = Answer(Verdict.UNINTERESTING, 0.0, None, timed_out=False)


class Testable(Protocol):
    """What a test can be asked about: a document, or a list."""

    @property
    def key(self) -> Hashable:
        """A fingerprint of at least 128 bits."""

    @property
    def title(self) -> str:
        """What a person calls it."""


C = TypeVar("C", bound=Testable)


class FlakyDetected(Exception):
    """A test has answered differently when it was asked again about a candidate."""

    def __init__(self, candidate: Any):
        super().__init__()
        self.candidate = candidate


class FlakyAwareTest(Generic[C]):
    """Asks a test about candidates: once each, and if it proves flaky, as often as it takes.

    To find out whether it is flaky, some questions are asked twice: the 16th, 64th, 256th, ...
    candidate accepted and refused, the best after 64, 256, ... refusals in a row, and at the end
    the removals that prove the result 1-minimal (`ask_again`), and the result (`confirm`). If it
    is, a candidate is accepted when its rate is as good as the original's
    (`nubbin.search.trials.sprt`); all trials of it count. With `sampled` False nothing is asked
    twice.

    `nothing` is the candidate without anything. If trials of it are known, the test has refused it,
    and it is never accepted; else it is not if it proves flaky, and interesting less often than the
    original. How often it is interesting all the same, like results that were refused at the end,
    is how often the test says yes wrongly.

    `known` are trials from earlier, by the key of a candidate; `runs` counts them as well. `note`
    is called with every answer and the trials after it. May be called by several threads.
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
    ):
        self._ask = ask
        self.original = original
        self._nothing = nothing
        self._refused: frozenset[Hashable] = frozenset(
            () if nothing is None or nothing.key not in known else (nothing.key,)
        )
        self._trials: dict[Hashable, Trials] = dict(known)
        self._note = note
        self._sampled = sampled
        self._lock = threading.Lock()
        self._counts = {True: 0, False: 0}
        self._refused_in_a_row = 0
        self.flaky = False
        self.runs = sum(each.runs for each in known.values())

    def __call__(self, candidate: C) -> Verdict:
        """Return the verdict; costs one run, or if the test is flaky, as many as it takes.

        Costs nothing for what is known to be refused.
        """
        if candidate.key in self._refused:
            self._note(candidate, _REFUSED, self._of(candidate))
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
        return self._of(self.original)

    @property
    def rate_of_nothing(self) -> Trials:
        """How often nothing was interesting, if that is known to be refused."""
        return Trials() if self._nothing is None else self._of(self._nothing)

    def _judged(
        self, candidate: C, false_refusal: float = FALSE_REFUSAL_PROBABILITY
    ) -> bool | None:
        wrong = self._wrong_rate
        return sprt(self._of(candidate), self._good_rate, wrong, false_refusal=false_refusal)

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
            self.run(self.original)
        if self._nothing is not None:
            self._measure_nothing(self._nothing)

    def _measure_nothing(self, nothing: C) -> None:
        while True:
            while self.rate_of_nothing.runs < self.rate.runs:
                self.run(nothing)
            wrong = self.rate_of_nothing
            if told_apart(self._good_rate, wrong.interval(1.0)[1]):
                self._refused |= {nothing.key}
                return
            if wrong.runs >= _MAX_RATE_RUNS and nothing.key not in self._refused:
                return  # it may be as good
            if wrong.runs >= _MAX_RATE_RUNS:
                raise NubbinError(
                    f"The test is flaky, and found {self.original.title} interesting in "
                    f"{self.rate.yes} of {self.rate.runs} runs, but an empty one in {wrong.yes} of "
                    f"{wrong.runs} as well: too often to tell what is interesting. {_ADVICE}"
                )
            self._run_often(self.original)

    def start_over(self, original: Trials) -> None:
        """Forget all trials, but for these of the original."""
        self._trials = {self.original.key: original}

    # -- asked again -------------------------------------------------------------------------

    def sample(self, verdict: Verdict, candidate: Callable[[], C], best: C) -> None:
        """Count an answer that was needed, and ask a few again; raises FlakyDetected."""
        if self.flaky or not self._sampled or verdict is Verdict.UNRESOLVED:
            return
        interesting = verdict is Verdict.INTERESTING
        self._counts[interesting] += 1
        self._refused_in_a_row = 0 if interesting else self._refused_in_a_row + 1
        if _times_due(self._counts[interesting], 16):
            self._ask_again(candidate(), 1)
        if times := _times_due(self._refused_in_a_row, _MAX_REFUSALS_IN_A_ROW):
            self._ask_again(best, times)

    def ask_again(self, removals: Iterable[C], answered: VerdictCache) -> None:
        """Ask again about the removals that prove a result 1-minimal; raises FlakyDetected.

        Costs a run for each that was asked about only once, or if the test is flaky, as many as it
        takes to refuse it with a greater certainty. Nothing is asked if they are many, or slow to
        refuse, or if nothing is asked twice.
        """
        if not self._sampled:
            return
        refused: list[C] = []
        seconds = 0.0
        for removal in removals:
            answer = answered.get(removal.key)
            if answer is not None and answer.verdict is Verdict.UNINTERESTING:
                refused.append(removal)
                seconds += answer.seconds
            if len(refused) > _MAX_PROOF_QUERIES or seconds > _MAX_PROOF_S:
                return
        for removal in refused:
            if self.flaky:
                self._refuse_again(removal)
            else:
                self._ask_again(removal, 1)

    def confirm(self, result: C) -> Trials:
        """Run the test again on the result; raises FlakyDetected if it does not hold.

        Costs twelve runs, or fewer if they take over a second, but at least three. If the test is
        flaky, costs twenty and is compared with the original; then up to four hundred runs of
        either if the result's rate is below the original's interval. If nothing is asked twice,
        costs up to three runs, until one is interesting, and raises NubbinError if none is.
        """
        if not self._sampled:
            return self._confirm_once(result)
        return self._compared(result) if self.flaky else self._repeated(result)

    def _confirm_once(self, result: C) -> Trials:
        for runs in range(1, 1 + _GIVEN_RESULT_RUNS):
            if self.run(result) is Verdict.INTERESTING:
                return Trials(1, runs)
        raise NubbinError(
            "The test is flaky: it accepted the result during the run, and refused it "
            f"{_GIVEN_RESULT_RUNS} times at the end. The result is the smallest that it ever "
            "accepted, but do not rely on it. Give more --runs, or leave that out, for as many "
            "as it takes."
        )

    def _repeated(self, result: C) -> Trials:
        """Run the test on a result that each run is expected to find interesting.

        What ran it again before a run was resumed counts; the run that accepted it does not.
        """
        begun = time.monotonic()
        before, runs = max(0, self._of(result).runs - 1), 0
        while not runs or (
            before + runs < _RESULT_RUNS
            and (before + runs < _MIN_RESULT_RUNS or time.monotonic() - begun < _MAX_RESULT_S)
        ):
            if self.run(result) is not Verdict.INTERESTING:
                raise FlakyDetected(result)
            runs += 1
        return Trials(runs, runs)

    def _compared(self, result: C) -> Trials:
        """Compare the rate of a result with the original's, unless it is the original."""
        again = self._run_often(result)
        while result.key != self.original.key:
            holds = self(result) is Verdict.INTERESTING
            if holds and again.rate >= self.rate.interval()[0]:
                break
            lowest, _ = self.rate.interval(_APART_DEVIATIONS)
            _, highest = again.interval(_APART_DEVIATIONS)
            if not holds or highest < lowest or again.runs >= _MAX_FLAKY_RESULT_RUNS:
                self._refused |= {result.key}
                raise FlakyDetected(result)
            self._run_often(self.original)
            more = self._run_often(result)
            again = Trials(again.yes + more.yes, again.runs + more.runs)
        return again

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

    def _run_often(self, candidate: C) -> Trials:
        """Run the test twenty times on a candidate."""
        runs = [self.run(candidate) for _ in range(_FLAKY_RESULT_RUNS)]
        return Trials(runs.count(Verdict.INTERESTING), len(runs))

    def _ask_again(self, candidate: C, times: int) -> None:
        while self._of(candidate).runs <= times:  # or it was, before the run was resumed
            self.run(candidate)
        if not self._of(candidate).agrees:
            raise FlakyDetected(candidate)

    def _refuse_again(self, removal: C) -> None:
        if removal.key in self._refused:
            return
        while (good := self._judged(removal, _FALSE_PROOF_PROBABILITY)) is None:
            self.run(removal)
        if good:
            raise FlakyDetected(removal)

    def run(self, candidate: C) -> Verdict:
        """Run the test once on a candidate."""
        answer = self._ask(candidate)
        with self._lock:
            self.runs += 1
            interesting = answer.verdict is Verdict.INTERESTING
            trials = self._of(candidate).plus(interesting)
            self._trials[candidate.key] = trials
        self._note(candidate, answer, trials)
        return answer.verdict

    def _of(self, candidate: C) -> Trials:
        return self._trials.get(candidate.key, Trials())


def _not_interesting(verdict: Verdict) -> Verdict:
    return Verdict.UNINTERESTING if verdict is Verdict.INTERESTING else verdict


def _times_due(count: int, first: int) -> int:
    """Return 1 if a count is `first`, 2 if it is four times that, 3 for sixteen, ..., else 0."""
    times = 1
    while count > first and count % 4 == 0:
        count //= 4
        times += 1
    return times if count == first else 0
