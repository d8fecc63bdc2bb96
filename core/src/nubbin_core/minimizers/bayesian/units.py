"""Elements that can only be removed in groups of equal length, such as the lines of records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: Shorter lists have too few units.
MIN_ELEMENTS = 16

_UNITS = range(2, 17)

#: Densities of the units that are needed.
_DENSITIES = (0.4, 0.1, 0.025, 0.006, 0.0015)

#: Lengths to remove. Many units divide the longest.
_LENGTHS = (*range(2, 25), 28, 30, 36, 42, 48, 60, 72, 84, 90, 120, 180, 240, 360, 420, 840, 2520)

#: The prior probabilities that 0, 1 and 2 elements at an end of the list belong to no unit.
_ODD = (0.8, 0.15, 0.05)

#: The prior weight of no unit at all, where the weights of all units add up to about 1: if nothing
#: was removed; if removals have one length; and the factor for each further length.
_NO_UNIT = 0.3
_NO_UNIT_AT_A_BORDER = 2.0
_PER_LENGTH = 1 / 16

#: A unit of this probability is found.
_FOUND = 0.9

#: A removal is tried if its chance of success times the number of elements is at least this:
#: without a unit, each element costs a query.
_MIN_EXPECTED = 2.0

#: At most one query about the unit for this number of elements. The second is for a list that is
#: one of many, most of them without a unit.
_ELEMENTS_PER_QUERY = 6
_ELEMENTS_PER_QUERY_OF_MANY = 24


class _Unit(NamedTuple):
    """Units of a length, with `odd` elements after the last, and the density of needed units."""

    unit: int
    odd: int
    density: float


class _Removal(NamedTuple):
    """The removal of `length` elements, with `behind` others behind them."""

    length: int
    behind: int
    odd: int
    chance: float


class _Fields(NamedTuple):
    """The fields of `Units`, apart: a NamedTuple has no room for a `cached_property`."""

    kept: Subset
    weights: Mapping[_Unit, float]
    queries: int  # about the unit that may be asked
    none: float  # the weight of no unit
    tried: int = 0  # the elements at the end that were part of a rejected removal
    unit: int = 0  # once it is found
    odd: int = 0  # the elements behind the last unit
    whole: Subset = EMPTY  # the elements kept when the sweep in units began
    sweep: Predictive | None = None  # over the units
    parts: tuple[int, ...] = ()  # after it: lengths to remove from a unit, negative from its end


class Units(_Fields):
    """Find the unit, then sweep the list in units.

    A unit divides the distances between the borders of all removed parts, so it divides their
    greatest common divisor. If that is 1, there is no query. Borders within two elements of an end
    do not count: those elements may belong to no unit. Otherwise a Bayesian belief over units,
    their place and their density chooses the removal with a chance nearest to even. Each is tried
    at a new place while there is one, so the answers are independent.

    The unit found may be a multiple: pairs that were removed in fours leave fours, and most of
    these contain a removable pair. So after the sweep, for each prime p, both ends of a unit are
    tried, a p-th of it each. After a success, the sweep is repeated in the shorter units.

    Costs at most `queries` to find the unit, and one more for each element removed. The sweeps
    cost as much as `Predictive` on lists of that number of elements, and the primes at most four
    queries for each of at most four sweeps. Nothing is proved.
    """

    @classmethod
    def start(
        cls,
        whole: Subset,
        kept: Subset,
        cuts: Set[int] = frozenset(),
        *,
        alone: bool = True,
    ) -> Units:
        """Return the state before the first query, after all of `whole` but `kept` was removed."""
        n = len(kept)
        own = cuts_inside(whole, cuts_of(whole, kept))
        borders = sorted(own | cuts)
        common = math.gcd(*(b - a for a, b in pairwise(borders)))
        odd = (n - kept.rank(whole[borders[-1]]),) if borders else range(len(_ODD))
        weights = {
            _Unit(unit, at_end, density): weight / unit / len(_DENSITIES)
            for unit in _UNITS
            if common % unit == 0 and n >= MIN_ELEMENTS
            for at_end in odd
            for density in _DENSITIES
            if (
                weight := 1.0
                if borders
                else _ODD[at_end] * _ODD[min((n - at_end) % unit, len(_ODD) - 1)]
            )
        }
        per_query = _ELEMENTS_PER_QUERY if alone else _ELEMENTS_PER_QUERY_OF_MANY
        queries = min(n.bit_length() * (1 if borders else 2), n // per_query)
        if not borders:
            return cls(kept, weights, queries, _NO_UNIT)
        none = _NO_UNIT_AT_A_BORDER * _PER_LENGTH ** max(len(own) - 2, 0)
        # The element next to a border could not be removed with the elements beyond it.
        return cls(kept, weights, queries, none, tried=1)

    def ask(self) -> tuple[Query, ...]:
        """Return the removal that tells most about the unit; once it is found, those of units."""
        if self._is_sweeping and self.sweep:
            return tuple(query._replace(kept=self._of(query.kept)) for query in self.sweep.ask())
        if self.parts:
            return (Query(self._without_a_part(), "unit", 0.5),)
        if self.unit or not self.queries or not self._removal:
            return ()
        length, behind, _, chance = self._removal
        stop = len(self.kept) - behind
        return (Query(self.kept.without(stop - length, stop), "unit", chance),)

    def tell(self, answers: tuple[bool, ...]) -> Units:
        (accepted,) = answers
        after = self._replace(kept=self.ask()[0].kept) if accepted else self
        if self._is_sweeping and self.sweep:
            return after._replace(sweep=self.sweep.tell(answers))._in_parts()
        if not self.unit:
            return after._learned(self._removal, accepted=accepted)
        length, *parts = self.parts
        return after._swept(abs(length)) if accepted else self._replace(parts=tuple(parts))

    # -- until the unit is found -------------------------------------------------------

    def _learned(self, removal: _Removal | None, *, accepted: bool) -> Units:
        """Update the belief; begin the sweep in units if one is likely enough."""
        assert removal
        length, behind, odd, _ = removal
        weights = {}
        for hypothesis, weight in self.weights.items():
            chance = _chance(hypothesis, length, odd)
            weights[hypothesis] = weight * (chance if accepted else 1 - chance)
        after = self._replace(
            weights=weights,
            none=0.0 if accepted else self.none,
            tried=self.tried if accepted else behind + length,
            queries=self.queries - 1 + (length if accepted else 0),
        )
        likely: dict[tuple[int, int], float] = {}
        for (unit, odd, _), weight in weights.items():
            likely[unit, odd % unit] = likely.get((unit, odd % unit), 0.0) + weight
        (unit, odd), weight = max(likely.items(), key=lambda each: each[1])
        if after.none or (weight < _FOUND * sum(likely.values()) and after._removal):
            return after
        return after._replace(odd=odd)._swept(unit)

    @cached_property
    def _removal(self) -> _Removal | None:
        """The removal with a chance nearest to one half, if enough elements depend on it."""
        removals = [*self._removals(self.tried)] or [*self._removals(0)]
        best = min(removals, key=lambda r: (abs(r.chance - 0.5), -r.length), default=None)
        return best if best and best.chance * len(self.kept) >= _MIN_EXPECTED else None

    def _removals(self, tried: int) -> Iterator[_Removal]:
        """Yield all lengths, each at the last place before the elements that were tried."""
        total = self.none + sum(self.weights.values())
        odds = sorted({hypothesis.odd for hypothesis in self.weights})
        for length in _LENGTHS:
            dividing = [(h, w) for h, w in self.weights.items() if not length % h.unit]
            for odd in odds if dividing else ():
                behind = odd % length + max(-(-(tried - odd % length) // length), 0) * length
                if behind + length < len(self.kept):
                    chance = sum(weight * _chance(h, length, odd) for h, weight in dividing)
                    yield _Removal(length, behind, odd, chance / total)

    # -- in units ----------------------------------------------------------------------

    @property
    def _is_sweeping(self) -> bool:
        return self.sweep is not None and bool(self.sweep.ask())

    def _swept(self, unit: int) -> Units:
        """Begin the sweep in units of this length; after it, their parts are tried."""
        after = self._replace(whole=self.kept, unit=unit, parts=())
        sweep = Predictive.start(Subset.full(len(after._borders) - 1), Settings(proves=False))
        return after._replace(sweep=sweep)._in_parts()

    @property
    def _borders(self) -> list[int]:
        """The positions of the borders of units in `whole`."""
        n = len(self.whole)
        return sorted({0, n, *range((n - self.odd) % self.unit, n, self.unit)})

    def _of(self, units: Subset) -> Subset:
        kept, borders = EMPTY, self._borders
        for lo, hi in units.runs:
            kept = kept.plus(self.whole[borders[lo] : borders[hi]])
        return kept

    def _in_parts(self) -> Units:
        """If the sweep is over, try the parts of the last unit, unless it is the whole list."""
        unit = self.unit
        if self._is_sweeping or len(self.kept) < unit + self.odd or len(self.kept) == 1:
            return self
        primes = [p for p in range(2, unit + 1) if not unit % p and all(p % q for q in range(2, p))]
        return self._replace(parts=tuple(sign * unit // p for p in primes for sign in (1, -1)))

    def _without_a_part(self) -> Subset:
        stop, length = len(self.kept) - self.odd, self.parts[0]
        start = stop - self.unit if length > 0 else stop + length
        return self.kept.without(start, start + abs(length))


def cuts_of(whole: Subset, part: Subset) -> Set[int]:
    """Return the places in a list of the borders of a part."""
    count = Counter(whole.rank(bound) for bound in part.bounds)
    return {at for at in count if count[at] & 1 and 0 < at < len(whole)}


def cuts_inside(whole: Subset, cuts: Set[int]) -> Set[int]:
    """Return those that are not the borders of odd elements at an end."""
    return {at for at in cuts if len(_ODD) <= at <= len(whole) - len(_ODD)}


def _chance(hypothesis: _Unit, length: int, odd: int) -> float:
    """Return the chance that a removal succeeds if a hypothesis is true."""
    unit, odd_elements, density = hypothesis
    if length % unit or (odd - odd_elements) % unit:
        return 0.0
    return float((1 - density) ** (length // unit))
