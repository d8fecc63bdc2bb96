"""A test that may be flaky: one run decides, or as many as it takes if the test is flaky."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import closing
from typing import Any

from nubbin_core.errors import NubbinError
from nubbin_core.in_line import Call, InLine
from nubbin_core.search.problem import Answered, VerdictCache
from nubbin_core.search.trials import (
    FALSE_REJECTION_PROBABILITY,
    C,
    CountedTest,
    Trials,
    sprt,
    told_apart,
)
from nubbin_core.verdict import Answer, Verdict

#: The rate of the original is measured until this many runs are interesting.
_RATE_SUCCESSES = 20
#: A test is useless if it finds the original interesting less often than this in this many runs.
_MIN_SUCCESSES = 5
_MIN_SUCCESSES_RUNS = 60
#: The test runs at most this often on the original and on nothing, this many times in a row, until
#: their rates differ.
_MAX_RATE_RUNS = 100
_RUNS_AT_A_TIME = 20

#: If the test is flaky: the probability that the proof of 1-minimality rejects a good removal.
_FALSE_PROOF_PROBABILITY = 0.001

#: After this many rejections in a row, the test runs on the best candidate again: that may have
#: been accepted by mistake.
_MAX_REJECTIONS_IN_A_ROW = 64

#: The proof of 1-minimality is repeated, to detect a flaky test, if it has at most this many
#: queries and took at most this long. A longer reduction has repeated more queries on its way.
_MAX_PROOF_QUERIES = 100
_MAX_PROOF_S = 20.0

#: The advice for a flaky test.
HOW_TO_BE_STEADY = (
    "fix seeds, the number of threads and the clock. Or let it run the tool several times, as "
    "--runs N does."
)
_REJECTED = Answer(Verdict.UNINTERESTING)


class FlakyDetected(Exception):
    """Another run of the test on the same candidate gave a different answer."""

    def __init__(self, candidate: Any):
        super().__init__()
        self.candidate = candidate


class FlakyAwareTest(CountedTest[C]):
    """Runs a test once on each candidate, or as often as needed if the test is flaky.

    To detect a flaky test, some runs are repeated: those of the 16th, 64th, 256th, ... accepted and
    rejected candidate, of the best candidate after 64, 256, ... rejections in a row, and at the end
    those of the proof of 1-minimality (`ask_again`) and of the result (`confirm`). The `pool` makes
    these runs, beside the next queries. With `sampled` False, nothing is repeated.

    If the test is flaky, it accepts a candidate whose rate is as good as the original's
    (`trials.sprt`); all trials of the candidate count.

    `nothing` is the empty candidate. If `known` has trials of it, the test has rejected it, and
    never accepts it. Otherwise, a flaky test rejects it if its rate is below the original's. That
    rate, and those of results that were rejected at the end, tell how often the test accepts by
    mistake.
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
        self._rejected: frozenset[Hashable] = frozenset(
            () if nothing is None or nothing.key not in known else (nothing.key,)
        )
        self.sampled = sampled
        self._counts = {True: 0, False: 0}
        self._rejected_in_a_row = 0
        self._asked_again: list[tuple[C, Call[bool]]] = []
        self.flaky = False
        #: The time of all queries.
        self.seconds = 0.0

    def __call__(self, candidate: C) -> Verdict:
        """Return the verdict; costs one run, or as many as needed if the test is flaky.

        Costs nothing for a candidate that is known to be rejected.
        """
        if candidate.key in self._rejected:
            self._note(candidate, _REJECTED, self.trials(candidate))
            return Verdict.UNINTERESTING
        if not self.flaky:
            return self.run(candidate)
        last = Verdict.UNINTERESTING
        while (good := self._judged(candidate)) is None:
            last = self.run(candidate)
        if good:
            return Verdict.INTERESTING
        return Verdict.UNINTERESTING if last is Verdict.INTERESTING else last

    @property
    def rate(self) -> Trials:
        """How often the original was interesting."""
        return self.trials(self.original)

    @property
    def rate_of_nothing(self) -> Trials:
        """How often the empty candidate was interesting, if there is one."""
        return Trials() if self._nothing is None else self.trials(self._nothing)

    def _judged(
        self, candidate: C, false_rejection: float = FALSE_REJECTION_PROBABILITY
    ) -> bool | None:
        wrong = self._wrong_rate
        return sprt(self.trials(candidate), self._good_rate, wrong, false_rejection=false_rejection)

    @property
    def _good_rate(self) -> float:
        """The lowest rate that is as good as the original's, which is an estimate."""
        return self.rate.interval(1.0)[0]

    @property
    def _wrong_rate(self) -> float:
        """The highest rate at which the test accepts by mistake."""
        known = [trials for key in self._rejected if (trials := self._trials.get(key))]
        return max((trials.interval(1.0)[1] for trials in known), default=0.0)

    def measure_rate(self) -> None:
        """Treat the test as flaky from now on.

        Costs runs on the original until twenty were interesting, and as many on nothing. Raises
        NubbinError if fewer than 5 of 60 runs on the original are interesting, or if its rate
        cannot be told apart from the rate of nothing.
        """
        self.flaky = True
        while self.rate.yes < _RATE_SUCCESSES:
            if self.rate.runs >= _MIN_SUCCESSES_RUNS and self.rate.yes < _MIN_SUCCESSES:
                raise NubbinError(
                    f"The test is flaky, and accepted {self.original.title} in "
                    f"{self.rate.yes} of {self.rate.runs} runs only: too seldom to reduce it. "
                    f"Make it deterministic: {HOW_TO_BE_STEADY}"
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
                self.reject(nothing)
                return
            if wrong.runs >= _MAX_RATE_RUNS and nothing.key not in self._rejected:
                return  # it may be as good
            if wrong.runs >= _MAX_RATE_RUNS:
                raise NubbinError(
                    f"The test is flaky, and accepted {self.original.title} in "
                    f"{self.rate.yes} of {self.rate.runs} runs, and an empty one in {wrong.yes} of "
                    f"{wrong.runs} runs: too often to tell them apart. Make it deterministic: "
                    + HOW_TO_BE_STEADY
                )
            self.run_often(self.original, _RUNS_AT_A_TIME)

    def start_over(self, original: Trials) -> None:
        """Forget all trials except these of the original."""
        self._trials = {self.original.key: original}

    def reject(self, candidate: C) -> None:
        """Reject a candidate from now on, without a run."""
        self._rejected |= {candidate.key}

    def sample(self, answered: Answered, candidate: Callable[[], C], best: C) -> None:
        """Count the answer to a query, and repeat a few; raises FlakyDetected.

        With several workers, the repeated answers arrive later: see `settle`.
        """
        verdict = answered.verdict
        self.seconds += answered.seconds
        if self.flaky or not self.sampled or verdict is Verdict.UNRESOLVED:
            return
        interesting = verdict is Verdict.INTERESTING
        self._counts[interesting] += 1
        self._rejected_in_a_row = 0 if interesting else self._rejected_in_a_row + 1
        again = []
        if _times_due(self._counts[interesting], 16):
            again.append((candidate(), 1))
        if times := _times_due(self._rejected_in_a_row, _MAX_REJECTIONS_IN_A_ROW):
            again.append((best, times))
        for each, times in again:
            self._asked_again.append((each, self.pool.submit(self._agrees, each, times)))
        self.settle(wait=False)

    def settle(self, *, wait: bool = True) -> None:
        """Compare the repeated answers that have arrived, or all; raises FlakyDetected."""
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
        """Repeat the proof that a result is 1-minimal; raises FlakyDetected.

        Costs a run for each removal that was run only once. If the test is flaky, costs as many as
        needed to reject it with greater certainty. Costs nothing if there are over 100 removals, if
        their rejections took over 20 seconds, or if the test is not `sampled`.
        """
        if not self.sampled:
            return
        self.settle()
        rejected: list[C] = []
        seconds = 0.0
        for removal in removals:
            answer = answered.get(removal.key)
            if answer is not None and answer.verdict is Verdict.UNINTERESTING:
                rejected.append(removal)
                seconds += answer.seconds
            if len(rejected) > _MAX_PROOF_QUERIES or seconds > _MAX_PROOF_S:
                return
        agrees = self._is_rejected if self.flaky else self._agrees
        with closing(self.pool.each(agrees, rejected)) as answers:
            for removal, agreed in zip(rejected, answers, strict=True):
                if not agreed:
                    raise FlakyDetected(removal)

    def last_interesting(self, chain: list[C]) -> int:
        """Return the index of the last interesting candidate in a chain of shrinking ones.

        Costs a logarithm of the chain's length in queries: if one candidate is not interesting,
        those made from it are not either.
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
        """Run the test again on a candidate; tell whether all its trials agree."""
        # Some may have been made before the reduction was resumed.
        while self.trials(candidate).runs <= times:
            self.run(candidate)
        return self.trials(candidate).agrees

    def _is_rejected(self, removal: C) -> bool:
        """Tell whether a removal is worse than the original, with greater certainty."""
        if removal.key in self._rejected:
            return True
        while (good := self._judged(removal, _FALSE_PROOF_PROBABILITY)) is None:
            self.run(removal)
        return not good


def _times_due(count: int, first: int) -> int:
    """Return 1 if a count is `first`, 2 if it is four times that, 3 for sixteen, ..., else 0."""
    times = 1
    while count > first and count % 4 == 0:
        count //= 4
        times += 1
    return times if count == first else 0
