"""Estimate how many elements can be removed before the next essential one."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from math import fsum
from operator import mul

from nubbin_core.minimizers.bayesian.by_use import ByUse
from nubbin_core.minimizers.bayesian.predictors import (
    LENGTHS,
    Clustered,
    Culprits,
    Few,
    Floats,
    Lengths,
    Predictor,
    Scattered,
)
from nubbin_core.minimizers.uses import Uses

#: The share of a predictor never falls below this, so that it can rise again.
_MIN_SHARE = 1e-6

#: The sweep skips if an essential element is followed by another with at least this probability.
_MIN_CLUSTER_CHANCE = 0.8

#: A chance is fair enough if it differs from the fair one by no more than this fraction of the fair
#: one, or of the fair one's complement.
_FAIR_FRACTION = 0.2

#: Chances and lengths that differ by less are equal. Ties are frequent, because survival is
#: interpolated linearly, and each processor rounds a sum of products in its own way.
_TIE = 1e-6

#: The prior shares of the predictors: scattered, clustered, by lengths, few.
_PRIOR_SHARES: Floats = (0.55, 0.15, 0.05, 0.25)

#: The same for suspects; and the assumed numbers of lists with none, one, two and more culprits.
_CULPRITS_SHARES: Floats = (0.01, 0.01, 0.01, 0.97)
_LISTS_OF_CULPRITS = (0.0, 12.0, 5.0, 2.0, 1.0)
_MANY = 1 << 20  # elements: the lowest density of culprits is below one in this number

#: The prior shares if another predictor knows what elements use.
_PRIOR_SHARES_BY_USE: Floats = (*[0.8 * share for share in _PRIOR_SHARES], 0.2)

#: The fraction of the shares that is forgotten from one list to the next.
_FORGOTTEN_FRACTION = 0.1


class _Table(dict[int, float]):
    """P(L >= m) by the index of m in LENGTHS; an entry is computed when it is first read."""

    __slots__ = ("_mixed",)

    def __init__(self, predictors: tuple[Predictor, ...], shares: Floats):
        self._mixed = predictors, shares

    def __missing__(self, at: int) -> float:
        predictors, shares = self._mixed
        tails = [predictor.survival(at) for predictor in predictors]
        survival = self[at] = fsum(map(mul, shares, tails))
        return survival


class Belief:
    """An immutable Bayesian mixture of predictors of L, the length of the next removable run.

    The share of each predictor follows from the probability that it gave to the runs seen so far.
    `survival` is P(L >= m) for m in LENGTHS; other values are interpolated.
    """

    __slots__ = ("gaps", "last", "predictors", "runs", "shares", "survival")

    def __init__(
        self,
        predictors: tuple[Predictor, ...],
        shares: Floats,
        gaps: int = 0,
        runs: int = 0,
        last: int = 0,
    ):
        self.predictors = predictors
        self.shares = shares  # they sum to 1
        self.gaps = gaps  # runs seen that were not empty
        self.runs = runs  # all runs seen
        self.last = last  # the length of the latest
        self.survival = _Table(predictors, shares)

    @classmethod
    def prior(cls, n: int) -> Belief:
        """Return the belief about n elements before the first query."""
        predictors = (Scattered.prior(n), Clustered.prior(n), Lengths.prior(), Few.prior(n))
        return cls(predictors, _PRIOR_SHARES)

    @classmethod
    def of_culprits(cls) -> Belief:
        """Return the belief about suspects with one or very few culprits, for `as_prior`."""
        *others, _ = cls.prior(_MANY).predictors
        culprits = Culprits.of(_MANY, _LISTS_OF_CULPRITS)
        return cls((*others, culprits), _CULPRITS_SHARES)

    @classmethod
    def of_essentials(cls, n: int) -> Belief:
        """Return the belief about n elements that were all rejected before."""
        chain = Clustered(Clustered.prior(n).densities, 21.0, 20.5, after_essential=True)
        return cls((chain,), (1.0,))

    def observe(self, length: int) -> Belief:
        """Return the belief after a run of this length and the element that ended it."""
        told = [predictor.observed(length) for predictor in self.predictors]
        shares = _updated(self.shares, [chance for chance, _ in told])
        after = tuple([predictor for _, predictor in told])
        return Belief(after, shares, self.gaps + (length > 0), self.runs + 1, length)

    def observe_censored(self, length: int) -> Belief:
        """Return the belief after a list whose end has cut the last run short."""
        chances = [_at(length, _Table((each,), (1.0,))) for each in self.predictors]
        after = tuple([predictor.observe_censored(length) for predictor in self.predictors])
        return Belief(after, _updated(self.shares, chances))

    def as_prior(self, n: int) -> Belief:
        """Return what earlier lists have taught, as the prior for a list of n elements.

        Empirical Bayes with a fixed share for the original prior (Herbster and Warmuth, 1998),
        because lists are similar, not equal.
        """
        after = tuple(predictor.as_prior(n) for predictor in self.predictors)
        prior = _PRIOR_SHARES_BY_USE if isinstance(after[-1], ByUse) else _PRIOR_SHARES
        kept, mixed = 1 - _FORGOTTEN_FRACTION, zip(self.shares, prior, strict=True)
        return Belief(after, tuple([kept * a + _FORGOTTEN_FRACTION * b for a, b in mixed]))

    def about(self, uses: Uses) -> Belief:
        """Return the belief about a new list, given the uses of its elements."""
        *others, last = self.predictors
        if isinstance(last, ByUse):
            return Belief((*others, last.about(uses)), self.shares)
        *without, by_use = _PRIOR_SHARES_BY_USE
        shares = (*[fsum(without) * share for share in self.shares], by_use)
        return Belief((*self.predictors, ByUse.prior(uses)), shares)

    def chance(self, length: int) -> float:
        """Return P(L >= length)."""
        return _at(length, self.survival)

    def _reached(self, chance: float, least: int, most: int) -> int:
        """Return the greatest length from `least` to `most` that L reaches with this chance."""
        survival = self.survival
        low, high = bisect_right(LENGTHS, least) - 1, min(bisect_left(LENGTHS, most), _LAST)
        if survival[low] < chance:
            return least
        if survival[high] >= chance:
            return most
        while high - low > 1:
            middle = (low + high) // 2
            if survival[middle] < chance:
                high = middle
            else:
                low = middle
        here = survival[low]
        slope = (LENGTHS[high] - LENGTHS[low]) / (here - survival[high])
        length = int(slope * (here - chance) + LENGTHS[low] + _TIE)
        return max(least, min(length, most))

    def next_length(
        self, removed: int, bound: int, most: int, border: int, fair: float = 0.5
    ) -> tuple[int, float]:
        """Return a length that L reaches with a chance near the fair one, and that chance.

        L is known to be at least `removed` and, if `bound` is not 0, less than `bound`. The length
        is more than `removed` and at most `most`. Among the lengths with a chance that is fair
        enough (between 0.4 and 0.6 if one half is fair) it is the one for which `border` minus the
        length is the roundest number; the shortest of all only if its chance is the nearest.
        Groups that can only be removed whole are often aligned, such as pairs and chunks of
        2^k, and a query with a chance of 0.4 still tells 0.97 bits.
        """
        sure, never = self.chance(removed), self.chance(bound) if bound else 0.0
        span = sure - never
        if span <= 1e-9 * sure:  # beyond all that is believed: halve
            return (removed + most + 1) // 2, 0.5
        width = _FAIR_FRACTION * min(fair, 1 - fair)
        half = self._reached(never + span * fair, removed + 1, most)
        fewest = self._reached(never + span * (fair + width), removed + 1, half)
        longest = self._reached(never + span * (fair - width), half, most)
        chance = (self.chance(half) - never) / span
        if chance > fair and half < most:
            longer = (self.chance(half + 1) - never) / span
            if fair - longer < chance - fair - _TIE:
                half, chance = half + 1, longer
        shortest, longest = min(fewest + 1, half), max(longest, half)
        length = border - roundest(border - longest, border - shortest)
        if length != half:
            chance = (self.chance(length) - never) / span
        return length, chance

    def skip(self, most: int) -> int:
        """Return the number of elements to take for a cluster without queries; 0 if none pays.

        The cluster ends among them with a chance of one half. At most `most`; 0 after a gap.
        """
        essential = 1 - self.survival[1]
        if self.last or not self.runs or essential < _MIN_CLUSTER_CHANCE:
            return 0
        skip = min(int(math.log(0.5) / math.log(min(essential, 1 - 1e-9))), most)
        return skip if skip > 1 else 0

    def hidden_gaps(self, skip: int) -> float:
        """Return the chance that the elements of a skip contain a whole gap.

        The cluster ends among them with an even chance, on average half-way. Before any gap was
        seen, the chance is unknown: 0.
        """
        if not self.gaps:
            return 0.0
        return 0.5 - 0.5 * self.chance(skip // 2 + 1) / max(self.survival[1], 1e-300)


_LAST = len(LENGTHS) - 1


def _at(length: int, survival: _Table) -> float:
    """Return P(L >= length), interpolated between two of LENGTHS."""
    at = bisect_right(LENGTHS, length) - 1
    here, there = LENGTHS[at], survival[at]
    if here == length or at == _LAST:
        return there
    slope = (survival[at + 1] - there) / (LENGTHS[at + 1] - here)
    return slope * (length - here) + there


def _updated(shares: Floats, chances: list[float]) -> Floats:
    """Return the posterior shares of predictors that gave these chances to an observation."""
    after = [*map(mul, shares, chances)]
    total = max(fsum(after), 1e-300)
    after = [max(share / total, _MIN_SHARE) for share in after]
    total = fsum(after)
    return tuple([share / total for share in after])


def fair_chance(price: float) -> float:
    """Return the chance of success at which a query tells most bits for its mean price.

    A success costs `price` times a failure. Then a chance p with p = (1 - p)^price is best, as for
    a code with letters of unequal lengths (Shannon 1948): 1/2 if both cost the same.
    """
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if middle < (1 - middle) ** price else (low, middle)
    return middle


def roundest(lo: int, hi: int) -> int:
    """Return the number from lo to hi that is a multiple of the highest power of two."""
    if hi < 0:
        return -roundest(-hi, -lo)
    if lo <= 0:
        return 0
    return hi >> (low := (lo - 1 ^ hi).bit_length() - 1) << low
