"""Predictors of the next removable run, which a belief mixes.

A sweep over a list meets runs: L elements that can be removed, then one that cannot. Each
predictor is a distribution of L, and learns from the runs that were seen. All are immutable.

A query reads few values of a distribution, so each is computed when it is read. Sums use
`math.fsum`, which rounds once, so they are equal on every machine and Python.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from math import exp, fsum, log1p
from operator import mul
from typing import NamedTuple, Protocol

Floats = tuple[float, ...]

#: The run lengths at which survival is tabulated: 0, then four to an octave up to 2^31.
LENGTHS: tuple[int, ...] = (0, *sorted({round(2 ** (n / 4)) for n in range(125)}))

# Densities of essential elements, log-uniform, descending; predictors weight them. If a vector of
# weights is shorter, the weights of the lowest densities are 0.
DENSITIES: Floats = tuple(0.97 * 2.0 ** (-0.75 * k) for k in range(30))
LOG_FREE: Floats = tuple(log1p(-density) for density in DENSITIES)

TINY = 1e-300  # replaces 0 as a divisor

#: The fraction of the weights that is forgotten from one list to the next, and the number of runs
#: that counts are scaled down to: lists are similar, not equal.
_FORGOTTEN_FRACTION, _MAX_REMEMBERED_RUNS = 0.1, 24.0


class Predictor(Protocol):
    """A distribution of the next run's length, which learns from the runs before."""

    def survival(self, at: int) -> float:
        """Return P(L >= LENGTHS[at])."""

    def observed(self, length: int) -> tuple[float, Predictor]:
        """Return P(L = length), and the predictor after this run and its essential element."""

    def observe_censored(self, length: int) -> Predictor:
        """Return the predictor after a run that the end of the list cut to this length."""

    def as_prior(self, n: int) -> Predictor:
        """Return what was learned so far, as the prior for another list of n elements."""


class Scattered(NamedTuple):
    """Every element is essential with the same, unknown probability."""

    densities: Floats

    @classmethod
    def prior(cls, n: int) -> Scattered:
        """Return equal weights for every density that n elements can show."""
        return cls(even_weights(n))

    def survival(self, at: int) -> float:
        return fsum(map(mul, self.densities, free(LENGTHS[at])))

    def observed(self, length: int) -> tuple[float, Scattered]:
        chance, densities = _posterior(self.densities, _hits(length))
        return chance, Scattered(densities)

    def observe_censored(self, length: int) -> Scattered:
        return Scattered(_posterior(self.densities, free(length))[1])

    def as_prior(self, n: int) -> Scattered:
        """Keep the densities, and forget a little."""
        return Scattered(faded(self.densities))


class Clustered(NamedTuple):
    """A Markov chain: essential after essential with one probability, after removable with another.

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

    def survival(self, at: int) -> float:
        """Return P(L >= m): the chance to leave the cluster, then a mixture of geometric tails."""
        if not self.after_essential:
            return fsum(map(mul, self.densities, free(LENGTHS[at])))
        if not at:
            return 1.0
        stay = self.together / self.met
        return (1 - stay) * fsum(map(mul, self.densities, free(LENGTHS[at] - 1)))

    def observed(self, length: int) -> tuple[float, Clustered]:
        densities, met, together, after_essential = self
        if not after_essential:
            chance, densities = _posterior(densities, _hits(length))
            return chance, Clustered(densities, met, together, True)
        stay = together / met
        if not length:
            return stay, Clustered(densities, met + 1, together + 1, True)
        chance, densities = _posterior(densities, _hits(length - 1))
        return (1 - stay) * chance, Clustered(densities, met + 1, together, True)

    def observe_censored(self, length: int) -> Clustered:
        densities, met, together, after_essential = self
        if not after_essential:
            return Clustered(_posterior(densities, free(length))[1], met, together)
        if not length:
            return self
        densities = _posterior(densities, free(length - 1))[1]
        return Clustered(densities, met + 1, together, True)

    def as_prior(self, n: int) -> Clustered:
        """Keep the densities and, scaled to few runs, the chance of clusters."""
        met, together = self.met - 1.0, self.together - 0.5
        share = min(1.0, _MAX_REMEMBERED_RUNS / max(met, TINY))
        return Clustered(faded(self.densities), 1.0 + share * met, 0.5 + share * together)


_BINS = 33  # for lengths below 2^32
_HALVES: Floats = (0.5,) * _BINS


class Lengths(NamedTuple):
    """Run lengths in bins of powers of two, equally likely within a bin.

    Runs that follow an empty run are counted separately.
    """

    counts: tuple[Floats, Floats]
    after_empty: bool = False

    @classmethod
    def prior(cls) -> Lengths:
        return cls((_HALVES, _HALVES))

    def survival(self, at: int) -> float:
        """Return P(L >= m): the bins above the bin of m, and a share of that bin."""
        counts, of = self.counts[self.after_empty], _BIN_OF[at]
        above: float = counts[of] * _SHARE_OF_BIN[at] + fsum(counts[of + 1 :])
        return above / fsum(counts)

    def observed(self, length: int) -> tuple[float, Lengths]:
        """Return the probability of a run, and count it."""
        counts, at = self.counts[self.after_empty], length.bit_length()
        chance = counts[at] / (1 << max(at - 1, 0)) / fsum(counts)
        counts = (*counts[:at], counts[at] + 1, *counts[at + 1 :])
        both = (self.counts[0], counts) if self.after_empty else (counts, self.counts[1])
        return chance, Lengths(both, not length)

    def observe_censored(self, length: int) -> Lengths:
        """Learn nothing: the whole length of the run is unknown."""
        return self

    def as_prior(self, n: int) -> Lengths:
        """Keep the counts, scaled to few runs."""
        return Lengths((_remembered(self.counts[0]), _remembered(self.counts[1])))


def _remembered(counts: Floats) -> Floats:
    seen = [count - 0.5 for count in counts]
    share = min(1.0, _MAX_REMEMBERED_RUNS / max(fsum(seen), TINY))
    return tuple([0.5 + share * count for count in seen])


# For each of LENGTHS its bin (by bit length) and the share of that bin at or above it.
_BIN_OF = tuple(m.bit_length() for m in LENGTHS)
_SHARE_OF_BIN = tuple(
    (2**b - m) / 2 ** max(b - 1, 0) for m, b in zip(LENGTHS, _BIN_OF, strict=True)
)


class Few(NamedTuple):
    """At most four essential elements in all, anywhere among those `left`."""

    left: int
    weights: Floats  # that there are 0, 1, 2, ... essentials among those left
    lists: Floats  # the number of lists, seen or assumed, that have 0, 1, 2, ...
    found: int = 0  # essentials met in this list

    @classmethod
    def prior(cls, n: int) -> Few:
        """Return one to four essentials among n, each half as likely as the one before."""
        return cls.of(n, (0.0, 8 / 15, 4 / 15, 2 / 15, 1 / 15))

    @classmethod
    def of(cls, n: int, lists: Floats) -> Few:
        """Return the distribution of essentials among n elements after earlier `lists`."""
        total = max(sum(lists[: n + 1]), TINY)
        possible = (count / total if k <= n else 0.0 for k, count in enumerate(lists))
        return cls(n, tuple(possible), lists)

    def survival(self, at: int) -> float:
        """Return P(L >= m): the chance that the next m of those left are not essential."""
        left = self.left
        rest = left - LENGTHS[at]
        if rest < 0:
            return 0.0
        none, *some = self.weights
        free = 1.0
        for k, weight in enumerate(some):
            if k >= rest:
                break
            free = free * (rest - k) / (left - k)
            none += weight * free
        return none

    def observed(self, length: int) -> tuple[float, Few]:
        """Return the probability of a run, and the posterior: one essential less."""
        left = self.left
        seen, first = [], 1 / max(left, 1)
        for k in range(1, len(self.weights)):
            seen.append(self.weights[k] * k * first)
            first *= max(left - length - k, 0) / max(left - k, 1)
        chance = sum(seen)
        total = max(chance, TINY)
        weights = (*[weight / total for weight in seen], 0.0)
        after = type(self)(max(left - length - 1, 0), weights, self.lists, self.found + 1)
        return chance, after

    def observe_censored(self, length: int) -> Few:
        """Count the list by its number of essentials."""
        lists = [count + (k == self.found) for k, count in enumerate(self.lists)]
        return self._replace(lists=tuple(lists))

    def as_prior(self, n: int) -> Few:
        """Expect as many as in earlier lists."""
        share = min(1.0, _MAX_REMEMBERED_RUNS / sum(self.lists))
        return self.of(n, tuple([share * count for count in self.lists]))


class Culprits(Few):
    """`Few`, with the right chance for the removal of all elements that are left.

    Survival is interpolated between two of `LENGTHS`. In `Few` it is 0 beyond the elements that are
    left, so the interpolation is too low just before.
    """

    __slots__ = ()

    def survival(self, at: int) -> float:
        """Return P(L >= m); beyond those left, the chance that none is essential."""
        return max(Few.survival(self, at), self.weights[0])


def even_weights(n: int) -> Floats:
    """Return equal weights for every density that n elements can show."""
    lowest = 0.25 / max(n, 1)
    usable = bisect_right(DENSITIES, -lowest, key=float.__neg__)
    return (1 / usable,) * usable


@lru_cache(maxsize=1024)
def free(length: int) -> Floats:
    """Return for each density the chance of `length` removable elements; more than 0."""
    return tuple([max(exp(length * log_free), TINY) for log_free in LOG_FREE])


@lru_cache(maxsize=1024)
def _hits(length: int) -> Floats:
    """Return for each density the chance of a run of this length; more than 0."""
    hits = map(mul, free(length), DENSITIES)
    return tuple([max(hit, TINY) for hit in hits])


def _posterior(densities: Floats, chances: Floats) -> tuple[float, Floats]:
    """Return the chance of an observation over all densities, and the posterior weights."""
    weights = tuple(map(mul, densities, chances))
    chance = fsum(weights)
    total = max(chance, TINY)
    return chance, tuple([weight / total for weight in weights])


def faded(densities: Floats) -> Floats:
    """Return the weights for another list: fixed share (Herbster and Warmuth, 1998)."""
    padded = densities + (0.0,) * (len(DENSITIES) - len(densities))
    share = _FORGOTTEN_FRACTION / len(DENSITIES)
    return tuple([(1 - _FORGOTTEN_FRACTION) * weight + share for weight in padded])
