"""Belief: how many elements can go before the next one that must stay?

A Bayesian mixture of predictors of the next deletable run, learned from the runs seen. Runs are
counted in the order of the sweep: L elements that can be deleted, then one that cannot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Densities of essential elements the mixture weighs: 2^-22 to 2^-0.0x, log-uniform.
_DENSITIES = 0.97 * 2.0 ** -np.arange(0.0, 22.0, 0.75)
_LOG_GAPS = np.log1p(-_DENSITIES)
_BINS = 24
_FEW = 4


@dataclass(frozen=True, slots=True)
class Belief:
    """A posterior over the length L of the next deletable run; immutable.

    Four kinds of predictor, each weighted by the probability it gave to every run so far:

    - independent: every element is essential with the same probability, on a log grid;
    - clustered: a Markov chain, essential after essential with a probability learned by the
      Krichevsky-Trofimov rule, essential after deletable on the same grid;
    - lengths: run lengths in bins of powers of two, learned apart for the runs that follow an
      empty run and those that do not;
    - few: one to four essentials in all, anywhere.

    `survival(m)` is P(L >= m). Costs a few vector operations on some thirty numbers.
    """

    left: int  # elements not yet swept
    shares: Floats  # of the four predictors, shape (4,)
    independent: Floats  # posterior over the densities
    clustered: Floats  # the same, after a deletable element
    after_empty: tuple[float, float]  # runs seen, and empty runs, after an essential
    bins: tuple[tuple[float, ...], tuple[float, ...]]  # counts; after a full and an empty run
    few: tuple[float, ...]  # posterior over 0..4 essentials left
    was_empty: bool = False
    first: bool = True

    @classmethod
    def prior(cls, n: int) -> Belief:
        """Return what is believed of n elements before the first question."""
        # A density far below 1/n says "nothing is essential": leave half of one to that.
        grid = np.where(_DENSITIES >= 0.25 / max(n, 1), 1.0, 0.0)
        grid /= grid.sum()
        return cls(
            left=n,
            shares=np.array([0.4, 0.3, 0.1, 0.2]),
            independent=grid,
            clustered=grid,
            after_empty=(1.0, 0.5),
            bins=((0.5,) * _BINS, (0.5,) * _BINS),
            few=(0.0, *(2.0**-k for k in range(1, _FEW + 1))),
        )

    def survival(self, m: int) -> Floats:
        """Return P(L >= m) by each predictor: shape (4,)."""
        if m <= 0:
            return np.ones(4)
        gaps = np.exp(m * _LOG_GAPS)
        if self.first:
            markov = float(self.clustered @ gaps)
        else:
            stay = self.after_empty[1] / self.after_empty[0]
            markov = (1 - stay) * float(self.clustered @ (gaps / (1 - _DENSITIES)))
        return np.array([self.independent @ gaps, markov, self._by_length(m), self._by_count(m)])

    def _by_length(self, m: int) -> float:
        counts = self.bins[self.was_empty]
        total = sum(counts)
        bin_ = m.bit_length()  # bin b holds L with b bits: 0, 1, 2-3, 4-7, ...
        if bin_ >= _BINS:
            return 0.0
        inside = counts[bin_] * (2**bin_ - m) / 2 ** max(bin_ - 1, 0)
        return (sum(counts[bin_ + 1 :]) + inside) / total

    def _by_count(self, m: int) -> float:
        if m > self.left:
            return 0.0
        total = sum(self.few)
        if not total:
            return 0.0
        free, chance, at_least = 1.0, 0.0, self.left - m
        for k, weight in enumerate(self.few):
            chance += weight * free
            free *= max(at_least - k, 0) / max(self.left - k, 1)
        return chance / total

    def chance(self, m: int) -> float:
        """Return P(L >= m) of the whole mixture."""
        return float(self.shares @ self.survival(m))

    def saw(self, length: int, *, ended: bool = True) -> Belief:
        """Return the belief after a run of this length; `ended` False: the sweep's end cut it."""
        seen = self.survival(length) - (self.survival(length + 1) if ended else 0)
        shares = self.shares * np.maximum(seen, 1e-12)
        shares = np.maximum(shares / shares.sum(), 1e-6)
        if not ended:
            return replace(self, shares=shares, left=0)
        hit = _DENSITIES * np.exp(length * _LOG_GAPS)
        clustered = self.clustered
        if self.first or length:
            clustered = clustered * np.maximum(hit, 1e-300)
            clustered = clustered / clustered.sum()
        independent = self.independent * np.maximum(hit, 1e-300)
        runs, empty = self.after_empty
        counts = list(self.bins[self.was_empty])
        counts[min(length.bit_length(), _BINS - 1)] += 1
        bins = (self.bins[0], tuple(counts)) if self.was_empty else (tuple(counts), self.bins[1])
        return Belief(
            left=max(self.left - length - 1, 0),
            shares=shares / shares.sum(),
            independent=independent / independent.sum(),
            clustered=clustered,
            after_empty=self.after_empty if self.first else (runs + 1, empty + (not length)),
            bins=bins,
            few=self._fewer(length),
            was_empty=not length,
            first=False,
        )

    def _fewer(self, length: int) -> tuple[float, ...]:
        weights = []
        for k, weight in enumerate(self.few[1:], 1):
            # The next essential of k among `left`, all places alike, lies behind `length`.
            chance = k / max(self.left, 1)
            for i in range(k - 1):
                chance *= max(self.left - length - 1 - i, 0) / max(self.left - 1 - i, 1)
            weights.append(weight * chance)
        total = sum(weights)
        return (*(weight / total for weight in weights), 0.0) if total else (0.0,) * len(self.few)

    def again(self, n: int) -> Belief:
        """Return what is believed of a second sweep over n elements: hardly any can go."""
        return replace(
            Belief.prior(n),
            shares=np.array([0.0, 1.0, 0.0, 0.0]),
            after_empty=(21.0, 20.5),
            first=False,
        )
