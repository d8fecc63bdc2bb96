"""Two algorithms on the same cases: the ratio of their figures, its interval, a test, an effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import bootstrap, wilcoxon

from nubbin_bench.means import LEAST

#: With fewer cases there is no interval, and with fewer that differ no p-value, which could not be
#: under 0.05.
MIN_CASES = 6

#: Equal ratios of integers differ in their last digits as logarithms, and must be ties.
_DIGITS = 12
_RESAMPLES = 9_999

Logs = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One algorithm over another in a metric, on the cases that both finished.

    `samples` are the logarithms of the cases' ratios, a tuple for each suite. Each suite weighs the
    same, however many cases it has.
    """

    one: str
    other: str
    metric: str
    suite: str
    samples: tuple[Logs, ...]

    @property
    def cases(self) -> int:
        """The number of cases."""
        return sum(map(len, self.samples))

    @property
    def ratio(self) -> float:
        """The ratio of geometric means; of several suites, the geometric mean of their ratios."""
        return exp(fmean(map(fmean, self.samples)))

    @property
    def extremes(self) -> tuple[float, float]:
        """The least and the greatest ratio of a case."""
        logs = [each for sample in self.samples for each in sample]
        return exp(min(logs)), exp(max(logs))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the ratio; None if there are fewer than MIN_CASES cases."""
        return _interval(self.samples) if self.cases >= MIN_CASES else None

    @property
    def share(self) -> float:
        """The share of cases on which the first has less; cases on which both are equal count half.

        This is A12 (Vargha and Delaney, 2000) for pairs: 0.5 if neither is ahead, 0 or 1 at most.
        """
        return fmean(
            fmean(0.5 if each == 0 else float(each < 0) for each in sample)
            for sample in self.samples
        )

    @property
    def p_value(self) -> float | None:
        """The two-sided p-value of the Wilcoxon signed-rank test on the logarithms.

        Cases without a difference are left out, as Wilcoxon did. None if fewer than MIN_CASES are
        left, or if there is more than one suite: the test weighs cases, not suites.
        """
        return _signed_rank(self.samples[0]) if len(self.samples) == 1 else None

    @property
    def least_p_value(self) -> float:
        """The least p-value that a test on this number of cases can have."""
        return 2.0 ** (1 - self.cases)


def log_ratio(one: float, other: float) -> float:
    """Return the logarithm of a ratio; figures under 0.1 count as 0.1, as in the means."""
    return round(log(max(one, LEAST) / max(other, LEAST)), _DIGITS)


@cache
def _signed_rank(logs: Logs) -> float | None:
    differ = [each for each in logs if each]
    return float(wilcoxon(differ).pvalue) if len(differ) >= MIN_CASES else None


@cache
def _interval(samples: tuple[Logs, ...]) -> tuple[float, float]:
    """Return the bias-corrected and accelerated bootstrap interval (BCa), seeded.

    Cases are drawn again within each suite.
    """
    if all(min(sample) == max(sample) for sample in samples):
        ratio = exp(fmean(map(fmean, samples)))
        return ratio, ratio
    found = bootstrap(
        samples,
        _mean_of_means,
        n_resamples=_RESAMPLES,
        vectorized=True,
        method="BCa",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return exp(found.low), exp(found.high)


def _mean_of_means(*samples: Any, axis: int) -> Any:
    return sum(np.mean(sample, axis=axis) for sample in samples) / len(samples)


def compared(
    one: str, other: str, metric: str, suite: str, samples: Sequence[Sequence[float]]
) -> Comparison | None:
    """Return the comparison; None if there is no case."""
    kept = tuple(tuple(sample) for sample in samples if sample)
    return Comparison(one, other, metric, suite, kept) if kept else None
