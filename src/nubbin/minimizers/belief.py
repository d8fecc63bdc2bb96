"""Belief: how many elements can go before the next one that must stay?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from nubbin.minimizers.predictors import (
    LENGTHS,
    Clustered,
    Few,
    Floats,
    Lengths,
    Predictor,
    Scattered,
)

#: A predictor is never believed less than this, so that it can come back.
_LEAST = 1e-6

#: How likely it must be that an essential element is followed by another.
_LIKELY = 0.8

#: The shares of the predictors at first: scattered, clustered, by lengths, few.
_SHARES = np.array([0.55, 0.15, 0.05, 0.25])

#: So much of the shares is forgotten from one list to the next.
_FORGOTTEN = 0.1


@dataclass(frozen=True, slots=True)
class Belief:
    """A Bayesian mixture of predictors of the next deletable run; immutable.

    Each predictor is weighted by the probability it gave to the runs seen so far. `survival`
    tabulates P(L >= m) at LENGTHS, once a run; between them it is interpolated.
    """

    predictors: tuple[Predictor, ...]
    shares: Floats
    survival: Floats
    gaps: int = 0  # runs seen that were not empty
    runs: int = 0  # all runs seen
    last: int = 0  # the length of the latest

    @classmethod
    def of(cls, predictors: tuple[Predictor, ...], shares: Floats) -> Belief:
        """Return the mixture of these predictors with these shares, which sum to 1."""
        survival = shares @ np.array([predictor.survival() for predictor in predictors])
        return cls(predictors, shares, survival)

    @classmethod
    def prior(cls, n: int) -> Belief:
        """Return what is believed of n elements before the first question."""
        predictors = (Scattered.prior(n), Clustered.prior(n), Lengths.prior(), Few.prior(n))
        return cls.of(predictors, _SHARES)

    @classmethod
    def of_essentials(cls, n: int) -> Belief:
        """Return what is believed of n elements that were all refused before: few can go."""
        chain = replace(Clustered.prior(n), met=21.0, together=20.5, after_essential=True)
        return cls.of((chain,), np.ones(1))

    def observe(self, length: int) -> Belief:
        """Return the belief after a run of this length and the element that ended it."""
        shares = self.shares * [predictor.likelihood(length) for predictor in self.predictors]
        shares = np.maximum(shares / max(shares.sum(), 1e-300), _LEAST)
        after = tuple(predictor.observe(length) for predictor in self.predictors)
        learned = Belief.of(after, shares / shares.sum())
        gaps = self.gaps + (length > 0)
        return replace(learned, gaps=gaps, runs=self.runs + 1, last=length)

    def observe_censored(self, length: int) -> Belief:
        """Return the belief after a whole list, the last run of which was cut short by its end."""
        tables = (predictor.survival() for predictor in self.predictors)
        shares = self.shares * [np.interp(length, LENGTHS, table) for table in tables]
        shares = np.maximum(shares / max(shares.sum(), 1e-300), _LEAST)
        after = tuple(predictor.observe_censored(length) for predictor in self.predictors)
        return Belief.of(after, shares / shares.sum())

    def as_prior(self, n: int) -> Belief:
        """Return what was learned from lists that have ended, as the prior for one of n elements.

        Empirical Bayes, and a little is forgotten each time (a fixed share, Herbster and Warmuth,
        1998): lists are alike, not the same.
        """
        after = tuple(predictor.as_prior(n) for predictor in self.predictors)
        return Belief.of(after, (1 - _FORGOTTEN) * self.shares + _FORGOTTEN * _SHARES)

    @property
    def inside(self) -> bool:
        """Whether the last run was empty: the sweep is inside a cluster."""
        return self.runs > 0 and not self.last

    def chance(self, length: int) -> float:
        """Return P(L >= length)."""
        return float(np.interp(length, LENGTHS, self.survival))

    def toss(self, gone: int, bound: int, most: int) -> tuple[int, float]:
        """Return the length whose being reached is nearest to a coin toss, and its chance.

        Given that L is at least `gone` and, where `bound` is not 0, less than that; the
        answer is over `gone` and at most `most`.
        """
        sure, never = self.chance(gone), self.chance(bound) if bound else 0.0
        if sure - never <= 1e-9 * sure:  # beyond all that was believed: halve
            return (gone + most + 1) // 2, 0.5
        near = int(np.interp(-(sure + never) / 2, -self.survival, LENGTHS))
        length = min(max(near, gone + 1), most)
        chance = (self.chance(length) - never) / (sure - never)
        if chance > 0.5 and length < most:
            longer = (self.chance(length + 1) - never) / (sure - never)
            if 0.5 - longer < chance - 0.5:
                return length + 1, longer
        return length, chance

    def leap(self, most: int) -> int:
        """Return how many elements to take for a cluster unasked; 0 when that does not pay.

        As many as make the end of the cluster among them a coin toss. At most `most`.
        """
        stay = 1 - float(self.survival[1])
        if not self.inside or stay < _LIKELY:
            return 0
        leap = min(int(math.log(0.5) / math.log(min(stay, 1 - 1e-9))), most)
        return leap if leap > 1 else 0

    def hides(self, leap: int) -> float:
        """Return the chance that a whole gap hides among elements leapt over.

        The cluster ends among them at even odds, on average half-way. Before any gap was seen
        there is no saying: 0.
        """
        if not self.gaps:
            return 0.0
        return 0.5 - 0.5 * self.chance(leap // 2 + 1) / max(float(self.survival[1]), 1e-300)
