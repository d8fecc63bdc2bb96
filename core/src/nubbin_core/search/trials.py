"""Count the runs of a flaky test on a candidate: rates, their intervals, and a sequential test."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from itertools import repeat
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from nubbin_core.in_line import InLine
from nubbin_core.verdict import Answer, Verdict

FALSE_REJECTION_PROBABILITY = 0.1  # that a candidate as good as the original is rejected
_FALSE_ACCEPT_PROBABILITY = 0.001  # that a bad one is accepted: most candidates are bad
_BAD_RATE_FRACTION = 0.25  # of the original's rate: a candidate at this rate is bad
_MAX_BAD_RATE_FRACTION = 0.8  # closer rates cannot be told apart
_MAX_RATE = 0.98  # no observed rate counts as certainty
_MAX_EXPECTED_SUCCESSES = 40.0  # after this many, the mean of both rates decides


class Trials(NamedTuple):
    """Runs of a test on one candidate: `yes` of `runs` found it interesting."""

    yes: int = 0
    runs: int = 0

    def plus(self, interesting: bool) -> Trials:
        """Return the trials after one more run."""
        return Trials(self.yes + interesting, self.runs + 1)

    @property
    def rate(self) -> float:
        """The fraction of runs that found it interesting; ZeroDivisionError before the first."""
        return self.yes / self.runs

    @property
    def agrees(self) -> bool:
        """Whether all runs said the same."""
        return self.yes in (0, self.runs)

    def interval(self, deviations: float = 1.96) -> tuple[float, float]:
        """Return the lowest and highest plausible rate: Wilson's score interval.

        It extends `deviations` standard deviations to either side; 1.96 is a confidence of 95 %.
        """
        n, square = self.runs, deviations * deviations
        middle = (self.yes + square / 2) / (n + square)
        half = deviations / (n + square) * math.sqrt(self.yes * (n - self.yes) / n + square / 4)
        return max(0.0, middle - half), min(1.0, middle + half)


REJECTED_ONCE: Final = Trials(0, 1)


def sprt(
    trials: Trials,
    original: float,
    wrong: float = 0.0,
    *,
    false_rejection: float = FALSE_REJECTION_PROBABILITY,
) -> bool | None:
    """Tell whether a candidate is as good as the original; None if more runs are needed.

    `original` is the rate of the original, `wrong` the rate at which the test accepts by mistake.

    This is Wald's sequential probability ratio test (*Sequential tests of statistical hypotheses*,
    1945). A candidate with the rate of the original is rejected with a probability of at most
    `false_rejection`. A candidate with a quarter of that rate, or with `wrong` if that is higher,
    is accepted with a probability of at most 0.001. No test with these errors takes fewer runs: at
    a rate of 0.9, two runs reject a candidate that never fails, and five or six accept.

    If the test remains undecided for long, the geometric mean of both rates decides. If the
    original's rate is one fifth and `wrong` half of that, 0.02 of the bad candidates are accepted.
    """
    good = min(original, _MAX_RATE)
    bad = min(max(_BAD_RATE_FRACTION * good, wrong), _MAX_BAD_RATE_FRACTION * good)
    no = trials.runs - trials.yes
    weight = trials.yes * math.log(good / bad) + no * math.log((1 - good) / (1 - bad))
    if weight >= math.log((1 - false_rejection) / _FALSE_ACCEPT_PROBABILITY):
        return True
    if weight <= math.log(false_rejection / (1 - _FALSE_ACCEPT_PROBABILITY)):
        return False
    if trials.runs * good >= _MAX_EXPECTED_SUCCESSES:
        return trials.rate >= math.sqrt(good * bad)
    return None


def told_apart(original: float, wrong: float) -> bool:
    """Tell whether `sprt` can tell candidates with these two rates apart."""
    return wrong <= _MAX_BAD_RATE_FRACTION * min(original, _MAX_RATE)


class Testable(Protocol):
    """What a test runs on: a document or a list."""

    @property
    def key(self) -> Hashable:
        """A fingerprint of at least 128 bits."""

    @property
    def title(self) -> str:
        """Its name in messages."""


C = TypeVar("C", bound=Testable)
_NONE = Trials()


class CountedTest(Generic[C]):
    """Runs a test, and counts for each candidate how many runs were interesting.

    `known` are earlier trials by the key of their candidate; `runs` includes them. `note` is called
    with each answer and the trials that include it. Several threads may call this object. The
    `pool` makes runs that do not depend on each other, as many at once as its width.
    """

    def __init__(
        self,
        ask: Callable[[C], Answer],
        known: Mapping[Any, Trials],
        note: Callable[[C, Answer, Trials], None] = lambda *_: None,
        pool: InLine | None = None,
    ):
        self.pool = pool or InLine()
        self._ask = ask
        self._trials: dict[Hashable, Trials] = dict(known)
        self._note = note
        self._lock = threading.Lock()
        #: Keys of candidates that were rejected only because their error is of another kind.
        self.with_other_error: set[Hashable] = set()
        #: Whether such candidates are accepted.
        self.allows_other_errors = False
        self.runs = sum(each.runs for each in known.values())

    def run(self, candidate: C) -> Verdict:
        """Run the test once on a candidate."""
        answer = self._ask(candidate)
        if answer.other_error and self.allows_other_errors:
            answer = answer._replace(verdict=Verdict.INTERESTING, other_error=False, why="")
        with self._lock:
            self.runs += 1
            interesting = answer.verdict is Verdict.INTERESTING
            key = candidate.key
            trials = self._trials[key] = self._trials.get(key, _NONE).plus(interesting)
            if answer.other_error:
                self.with_other_error.add(key)
        self._note(candidate, answer, trials)
        return answer.verdict

    def run_often(self, candidate: C, times: int) -> Trials:
        """Run the test `times` times on a candidate; return only these trials."""
        with closing(self.pool.each(self.run, repeat(candidate, times))) as verdicts:
            return Trials(list(verdicts).count(Verdict.INTERESTING), times)

    def trials(self, candidate: C) -> Trials:
        """Return all trials of a candidate."""
        return self._trials.get(candidate.key, _NONE)
