"""Runs of a test whose answers vary: rates, intervals, and a sequential test."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

FALSE_REFUSAL_PROBABILITY = 0.1  # of a candidate that is as good as the original
_FALSE_ACCEPT_PROBABILITY = 0.001  # of a bad one: far more candidates are bad than good
_BAD_RATE_FRACTION = 0.25  # of the original's rate: a candidate at this rate is bad
_MAX_BAD_RATE_FRACTION = 0.8  # rates that are closer are not told apart
_MAX_RATE = 0.98  # no observed rate is taken for certainty
_MAX_EXPECTED_SUCCESSES = 40.0  # stop after this many, and decide by the mean of both rates


class Trials(NamedTuple):
    """Runs of a test on one candidate, and how many of them found it interesting."""

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
        """Return the lowest and the highest rate that are compatible: Wilson's score interval.

        It extends N standard deviations to either side; 1.96 is a confidence of 95 %.
        """
        n, square = self.runs, deviations * deviations
        middle = (self.yes + square / 2) / (n + square)
        half = deviations / (n + square) * math.sqrt(self.yes * (n - self.yes) / n + square / 4)
        return max(0.0, middle - half), min(1.0, middle + half)


REFUSED_ONCE: Final = Trials(0, 1)


def sprt(
    trials: Trials,
    original: float,
    wrong: float = 0.0,
    *,
    false_refusal: float = FALSE_REFUSAL_PROBABILITY,
) -> bool | None:
    """Tell whether a candidate is as good as the original, of which `original` is the rate.

    None if more runs are needed. `wrong` is the rate at which the test finds interesting what is
    not. Wald's sequential probability ratio test, *Sequential tests of statistical hypotheses*,
    1945: a candidate at the rate of the original is refused with a probability of at most
    `false_refusal`, one at a quarter of it, or at `wrong` if that is more, accepted with at most
    0.001. It takes the fewest runs of all tests with such errors: at a rate of 0.9, two refuse what
    never shows it, and five or six accept. If it stays undecided for long, the geometric mean of
    both rates decides; if `wrong` is half the original's rate, 0.02 are accepted at one fifth.
    """
    good = min(original, _MAX_RATE)
    bad = min(max(_BAD_RATE_FRACTION * good, wrong), _MAX_BAD_RATE_FRACTION * good)
    no = trials.runs - trials.yes
    weight = trials.yes * math.log(good / bad) + no * math.log((1 - good) / (1 - bad))
    if weight >= math.log((1 - false_refusal) / _FALSE_ACCEPT_PROBABILITY):
        return True
    if weight <= math.log(false_refusal / (1 - _FALSE_ACCEPT_PROBABILITY)):
        return False
    if trials.runs * good >= _MAX_EXPECTED_SUCCESSES:
        return trials.rate >= math.sqrt(good * bad)
    return None


def told_apart(original: float, wrong: float) -> bool:
    """Tell whether `sprt` can tell candidates at one rate from those at the other."""
    return wrong <= _MAX_BAD_RATE_FRACTION * min(original, _MAX_RATE)
