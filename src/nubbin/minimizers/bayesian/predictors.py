"""Predictors of the next deletable run, which a belief mixes.

A sweep over a list meets runs: L elements that can be deleted, then one that cannot. Each
predictor here is a distribution of L, and learns from the runs that were seen. All are immutable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: The run lengths at which survival is tabulated: 0, then four to an octave up to 2^31.
LENGTHS: Floats = np.array([0.0, *sorted({float(round(2 ** (n / 4))) for n in range(125)})])

# Densities of essential elements, log-uniform, to which predictors give weights; and for each of
# LENGTHS the chance that no essential element is among that many.
DENSITIES: Floats = 0.97 * 2.0 ** -np.arange(0.0, 22.0, 0.75)
LOG_FREE: Floats = np.log1p(-DENSITIES)
_FREE: Floats = np.exp(np.outer(LENGTHS, LOG_FREE))
_DELETABLE: Floats = 1 - DENSITIES

_BINS = 33  # for lengths below 2^32
TINY = 1e-300  # in the place of 0, to divide by

#: The fraction of what was learned that is forgotten from one list to the next, and the number of
#: runs that a count stands for at most: lists are alike, not the same.
_FORGOTTEN_FRACTION, _MAX_REMEMBERED_RUNS = 0.1, 24.0


class Predictor(Protocol):
    """A distribution of the next run's length, which learns from the runs before."""

    def survival(self) -> Floats:
        """Return P(L >= m) for each m of LENGTHS."""
        ...

    def likelihood(self, length: int) -> float:
        """Return P(L = length)."""
        ...

    def observe(self, length: int) -> Predictor:
        """Return the predictor after a run of this length and the element that ended it."""
        ...

    def observe_censored(self, length: int) -> Predictor:
        """Return the predictor after a run of this length that the end of the list cut short."""
        ...

    def as_prior(self, n: int) -> Predictor:
        """Return what was learned so far, as the prior for another list, of n elements."""
        ...


@dataclass(frozen=True, slots=True)
class Scattered:
    """Every element is essential with the same, unknown probability."""

    densities: Floats

    @classmethod
    def prior(cls, n: int) -> Scattered:
        """Return equal weights for every density that is not far too low for n elements."""
        return cls(even_weights(n))

    def survival(self) -> Floats:
        """Return P(L >= m): a mixture of geometric tails."""
        return _FREE @ self.densities

    def likelihood(self, length: int) -> float:
        """Return the probability of a run."""
        return float(self.densities @ _hits(length))

    def observe(self, length: int) -> Scattered:
        """Return the posterior."""
        return Scattered(_posterior(self.densities, length))

    def observe_censored(self, length: int) -> Scattered:
        """Return the posterior; the run met no essential element."""
        return Scattered(_free(self.densities, length))

    def as_prior(self, n: int) -> Scattered:
        """Keep the densities, and forget a little."""
        return Scattered(faded(self.densities))


@dataclass(frozen=True, slots=True)
class Clustered:
    """A Markov chain: essential after essential with one probability, after deletable with another.

    The first is learned by the Krichevsky-Trofimov rule (`together` of `met` essentials were
    followed by another), the second as in Scattered.
    """

    densities: Floats
    met: float = 1.0
    together: float = 0.5
    after_essential: bool = False

    @classmethod
    def prior(cls, n: int) -> Clustered:
        """Return the chain before its first element."""
        return cls(even_weights(n))

    def survival(self) -> Floats:
        """Return P(L >= m): the chance to leave the cluster, then a mixture of geometric tails."""
        if not self.after_essential:
            return _FREE @ self.densities
        tail = (1 - self.together / self.met) * (_FREE @ (self.densities / _DELETABLE))
        tail[0] = 1.0
        return tail

    def likelihood(self, length: int) -> float:
        """Return the probability of a run."""
        if not self.after_essential:
            return float(self.densities @ _hits(length))
        stay = self.together / self.met
        if not length:
            return stay
        return (1 - stay) * float(self.densities @ _hits(length - 1))

    def observe(self, length: int) -> Clustered:
        """Return the posterior."""
        if not self.after_essential:
            densities = _posterior(self.densities, length)
            return replace(self, densities=densities, after_essential=True)
        if not length:
            return replace(self, met=self.met + 1, together=self.together + 1)
        return replace(self, densities=_posterior(self.densities, length - 1), met=self.met + 1)

    def observe_censored(self, length: int) -> Clustered:
        """Return the posterior; the run met no essential element."""
        if not self.after_essential:
            return replace(self, densities=_free(self.densities, length))
        if not length:
            return self
        return replace(self, densities=_free(self.densities, length - 1), met=self.met + 1)

    def as_prior(self, n: int) -> Clustered:
        """Keep the densities and, as if from few runs, the chance of clusters."""
        met, together = self.met - 1.0, self.together - 0.5
        share = min(1.0, _MAX_REMEMBERED_RUNS / max(met, TINY))
        return Clustered(faded(self.densities), 1.0 + share * met, 0.5 + share * together)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Run lengths in bins of powers of two, equally likely within a bin.

    Runs that follow an empty run are counted apart from the others.
    """

    counts: tuple[Floats, Floats]
    after_empty: bool = False

    @classmethod
    def prior(cls) -> Lengths:
        """Return half a run in every bin."""
        return cls((np.full(_BINS, 0.5), np.full(_BINS, 0.5)))

    def survival(self) -> Floats:
        """Return P(L >= m): the bins above m's, and a share of m's own."""
        counts = self.counts[self.after_empty]
        total = counts.sum()
        above = total - counts.cumsum()
        survival: Floats = (counts[_BIN_OF] * _SHARE_OF_BIN + above[_BIN_OF]) / total
        return survival

    def likelihood(self, length: int) -> float:
        """Return the probability of a run."""
        counts = self.counts[self.after_empty]
        at = length.bit_length()
        width = 2 ** max(at - 1, 0)
        return float(counts[at] / width / counts.sum())

    def observe(self, length: int) -> Lengths:
        """Count the run."""
        counts = self.counts[self.after_empty].copy()
        counts[length.bit_length()] += 1
        both = (self.counts[0], counts) if self.after_empty else (counts, self.counts[1])
        return Lengths(both, not length)

    def observe_censored(self, length: int) -> Lengths:
        """Learn nothing: the whole length of the run is unknown."""
        return self

    def as_prior(self, n: int) -> Lengths:
        """Keep the counts, as if from few runs."""
        seen = self.counts[0] - 0.5, self.counts[1] - 0.5
        first, second = (
            0.5 + counts * min(1.0, _MAX_REMEMBERED_RUNS / max(counts.sum(), TINY))
            for counts in seen
        )
        return Lengths((first, second))


# For each of LENGTHS its bin (by bit length) and the share of that bin at or above it.
_BIN_OF = np.array([int(m).bit_length() for m in LENGTHS])
_SHARE_OF_BIN = np.array(
    [(2**b - m) / 2 ** max(b - 1, 0) for m, b in zip(LENGTHS, _BIN_OF, strict=True)]
)


@dataclass(frozen=True, slots=True)
class Few:
    """At most four essential elements in all, anywhere among those `left`."""

    left: int
    weights: tuple[float, ...]  # that there are 0, 1, 2, ... essentials among those left
    lists: tuple[float, ...]  # the number of lists, seen or imagined, that hold 0, 1, 2, ...
    found: int = 0  # essentials met in this list

    @classmethod
    def prior(cls, n: int) -> Few:
        """Return one to four essentials among n, each half as likely as the one before."""
        return cls.of(n, (0.0, 8 / 15, 4 / 15, 2 / 15, 1 / 15))

    @classmethod
    def of(cls, n: int, lists: tuple[float, ...]) -> Few:
        """Return as many essentials among n as earlier lists held, which `lists` counts."""
        total = max(sum(lists[: n + 1]), TINY)
        possible = (count / total if k <= n else 0.0 for k, count in enumerate(lists))
        return cls(n, tuple(possible), lists)

    def survival(self) -> Floats:
        """Return P(L >= m): the chance that no essential is among the next m of those left."""
        rest = self.left - LENGTHS
        chance: Floats = np.where(rest < 0, 0.0, self.weights[0])
        free: Floats | float = 1.0
        for k, weight in enumerate(self.weights[1:]):
            free = free * np.maximum(rest - k, 0.0) / max(self.left - k, 1)
            chance += weight * free
        return chance

    def likelihood(self, length: int) -> float:
        """Return the probability of a run."""
        return sum(w * self._next_at(length, k) for k, w in enumerate(self.weights))

    def observe(self, length: int) -> Few:
        """Return the posterior: one essential less, among the elements after it."""
        seen = [w * self._next_at(length, k) for k, w in enumerate(self.weights)][1:]
        total = max(sum(seen), TINY)
        weights = (*(weight / total for weight in seen), 0.0)
        left = max(self.left - length - 1, 0)
        return replace(self, left=left, weights=weights, found=self.found + 1)

    def observe_censored(self, length: int) -> Few:
        """Count the list by the essentials that were met."""
        lists = (count + (k == self.found) for k, count in enumerate(self.lists))
        return replace(self, lists=tuple(lists))

    def as_prior(self, n: int) -> Few:
        """Expect what earlier lists held."""
        share = min(1.0, _MAX_REMEMBERED_RUNS / sum(self.lists))
        return self.of(n, tuple(share * count for count in self.lists))

    def _next_at(self, length: int, k: int) -> float:
        """Return the chance that the first of k essentials among those left is at `length`."""
        chance = k / max(self.left, 1)
        for i in range(1, k):
            chance *= max(self.left - length - i, 0) / max(self.left - i, 1)
        return chance


class Culprits(Few):
    """`Few`, of suspects: a question about all that are left is as likely to succeed as they say.

    Between two of `LENGTHS` a table is read as a straight line. That of `Few` falls to 0 beyond the
    elements that are left, and so seems to fall before it has come to all of them.
    """

    __slots__ = ()

    def survival(self) -> Floats:
        """Return P(L >= m); beyond those left, the chance that there is no essential one."""
        survival: Floats = np.maximum(Few.survival(self), self.weights[0])
        return survival


def even_weights(n: int) -> Floats:
    """Return equal weights for every density that is not far too low for n elements."""
    usable: Floats = np.where(0.25 / max(n, 1) <= DENSITIES, 1.0, 0.0)
    usable /= usable.sum()
    return usable


@lru_cache(maxsize=1024)
def _hits(length: int) -> Floats:
    """Return for each density the chance of `length` deletable elements, then an essential one."""
    hits: Floats = np.exp(length * LOG_FREE) * DENSITIES
    hits.flags.writeable = False
    return hits


def _posterior(densities: Floats, length: int) -> Floats:
    weights: Floats = densities * np.maximum(_hits(length), TINY)
    weights /= max(weights.sum(), TINY)
    return weights


def _free(densities: Floats, length: int) -> Floats:
    """Return the weights after `length` deletable elements."""
    weights: Floats = densities * np.maximum(np.exp(length * LOG_FREE), TINY)
    weights /= max(weights.sum(), TINY)
    return weights


def faded(densities: Floats) -> Floats:
    """Return the weights for another list: fixed share (Herbster and Warmuth, 1998).

    The last axis is that of the densities.
    """
    after: Floats = (1 - _FORGOTTEN_FRACTION) * densities
    after += _FORGOTTEN_FRACTION / densities.shape[-1]
    return after
