"""How sure can one be of a test that answers differently from run to run?"""

from __future__ import annotations

import math
from typing import NamedTuple

_AS_GOOD = 0.1  # chance to refuse a candidate that is as good as the original
_BAD = 0.001  # chance to accept one at the share below: far more candidates are bad than good
_SHARE = 0.25  # of the original's rate, at which a candidate has lost what it should show
_SURE = 0.98  # the highest rate reckoned with: nothing observed is a certainty
_LONG = 40.0  # times the runs that the original needs for one success, before it is called a tie


class Trials(NamedTuple):
    """Runs of a test on one candidate, and how many of them found it interesting."""

    yes: int = 0
    runs: int = 0

    def plus(self, interesting: bool) -> Trials:
        """Return the evidence after one more run."""
        return Trials(self.yes + interesting, self.runs + 1)

    @property
    def rate(self) -> float:
        """The share of runs that found it interesting; ZeroDivisionError before the first."""
        return self.yes / self.runs

    @property
    def agrees(self) -> bool:
        """Whether all runs said the same."""
        return self.yes in (0, self.runs)

    def interval(self, deviations: float = 1.96) -> tuple[float, float]:
        """Return the lowest and the highest rate that go with it: Wilson's score interval.

        It reaches so many standard deviations to either side; 1.96 is a confidence of 95 %.
        """
        n, square = self.runs, deviations * deviations
        middle = (self.yes + square / 2) / (n + square)
        half = deviations / (n + square) * math.sqrt(self.yes * (n - self.yes) / n + square / 4)
        return max(0.0, middle - half), min(1.0, middle + half)


def sprt(trials: Trials, original: float) -> bool | None:
    """Tell whether a candidate is as good as the original, of which `original` is the rate.

    None where more runs are needed. Wald's sequential probability ratio test, *Sequential tests
    of statistical hypotheses*, 1945: a candidate at the rate of the original is refused with a
    probability of at most 0.1, one at a quarter of it accepted with at most 0.001. It takes the
    fewest runs of all tests with such errors: at a rate of 0.9, two refuse what never shows it, and
    five or six accept. What stays undecided for long goes by half the original's rate.
    """
    good = min(original, _SURE)
    bad = _SHARE * good
    no = trials.runs - trials.yes
    weight = trials.yes * math.log(good / bad) + no * math.log((1 - good) / (1 - bad))
    if weight >= math.log((1 - _AS_GOOD) / _BAD):
        return True
    if weight <= math.log(_AS_GOOD / (1 - _BAD)):
        return False
    if trials.runs * good >= _LONG:
        return trials.rate >= original / 2
    return None
