"""Two algorithms side by side: the ratio of their figures, its interval, a test, an effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from statistics import fmean
from typing import Any

import numpy as np

from nubbin_bench.means import LEAST

#: With fewer defects there is no interval, and with fewer that differ no p-value: it could not
#: be under 0.05.
MIN_DEFECTS = 6

#: Equal ratios of integers differ in their last digits as logarithms, and must be ties.
_DIGITS = 12
_RESAMPLES = 9_999

Logs = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One algorithm over another in a metric, on the cases that both finished.

    `samples` have a figure for each defect, in a tuple for each suite: the mean of the logarithms
    of its cases' ratios, because cases that show one defect are alike and no independent evidence.
    So each defect weighs the same, however many cases it has, and each suite, however many defects.
    `cases` is the number of cases behind them.
    """

    one: str
    other: str
    metric: str
    suite: str
    samples: tuple[Logs, ...]
    cases: int

    @property
    def defects(self) -> int:
        """The number of defects."""
        return sum(map(len, self.samples))

    @property
    def ratio(self) -> float:
        """The geometric mean of the defects' ratios; of several suites, that of the suites'."""
        return exp(fmean(map(fmean, self.samples)))

    @property
    def extremes(self) -> tuple[float, float]:
        """The least and the greatest ratio of a defect."""
        logs = [each for sample in self.samples for each in sample]
        return exp(min(logs)), exp(max(logs))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the ratio; None if there are fewer than MIN_DEFECTS defects."""
        return _interval(self.samples) if self.defects >= MIN_DEFECTS else None

    @property
    def share(self) -> float:
        """The share of defects on which the first has less; those with equal figures count half.

        This is A12 (Vargha and Delaney, 2000) for pairs: 0.5 if neither is ahead, 0 or 1 at most.
        """
        return fmean(
            fmean(0.5 if each == 0 else float(each < 0) for each in sample)
            for sample in self.samples
        )

    @property
    def p_value(self) -> float | None:
        """The two-sided p-value of the Wilcoxon signed-rank test on the logarithms.

        Defects without a difference are left out, as Wilcoxon did. None if fewer than MIN_DEFECTS
        are left, or if there is more than one suite: the test weighs defects, not suites.
        """
        return _signed_rank(self.samples[0]) if len(self.samples) == 1 else None

    @property
    def least_p_value(self) -> float:
        """The least p-value that a test on this number of defects can have."""
        return 2.0 ** (1 - self.defects)


def log_ratio(one: float, other: float) -> float:
    """Return the logarithm of a ratio; figures under 0.1 count as 0.1, as in the means."""
    return round(log(max(one, LEAST) / max(other, LEAST)), _DIGITS)


@cache
def _signed_rank(logs: Logs) -> float | None:
    from scipy.stats import wilcoxon  # noqa: PLC0415 - two seconds: few need it

    differ = [each for each in logs if each]
    return float(wilcoxon(differ).pvalue) if len(differ) >= MIN_DEFECTS else None


@cache
def _interval(samples: tuple[Logs, ...]) -> tuple[float, float]:
    """Return the bias-corrected and accelerated bootstrap interval (BCa), seeded.

    Defects are drawn again, with all of their cases, within each suite.
    """
    if all(min(sample) == max(sample) for sample in samples):
        ratio = exp(fmean(map(fmean, samples)))
        return ratio, ratio
    from scipy.stats import bootstrap  # noqa: PLC0415 - as above

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
    one: str, other: str, metric: str, suite: str, samples: Sequence[Sequence[tuple[str, float]]]
) -> Comparison | None:
    """Return the comparison; None if there is no case.

    `samples` have, for each suite, the defect of each case and the logarithm of its ratio.
    """
    kept = tuple(_by_defect(sample) for sample in samples if sample)
    return Comparison(one, other, metric, suite, kept, sum(map(len, samples))) if kept else None


def _by_defect(sample: Iterable[tuple[str, float]]) -> Logs:
    """Return the mean logarithm of each defect."""
    logs: dict[str, list[float]] = {}
    for defect, each in sample:
        logs.setdefault(defect, []).append(each)
    return tuple(round(fmean(each), _DIGITS) for each in logs.values())
