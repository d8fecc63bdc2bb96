"""An immutable set of element indices, stored as its maximal runs."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from operator import sub
from typing import cast, overload

_MASK = (1 << 64) - 1
# Two independent 64-bit mixes make one 128-bit digest.
_SALTS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)

#: A search for a position visits at most this many runs from the last one, then makes a table.
_MAX_STEPS = 32


class Subset:
    """An immutable, hashable set of indices out of 0..N-1.

    `bounds` is the strictly increasing array of type "q" `start0, stop0, start1, stop1, ...` of
    its maximal runs, so a million elements with nothing removed are two numbers. Positions
    (`s[3]`, `s[10:20]`, `s.without(10, 20)`) count the members in order; indices are the members.

    Algorithms visit positions near the last one, so `_near` has the last run and the number of
    members before it, and a new subset inherits it. So a step costs a copy of the bounds, in C,
    and no loop over them.
    """

    __slots__ = ("_before", "_digest", "_near", "_size", "bounds")

    bounds: array[int]
    _size: int
    _before: list[int] | None
    _digest: int | None
    _near: tuple[int, int]

    def __init__(
        self,
        bounds: array[int],
        size: int | None = None,
        digest: int | None = None,
        near: tuple[int, int] = (0, 0),
    ):
        self.bounds = bounds
        self._size = sum(bounds[1::2]) - sum(bounds[::2]) if size is None else size
        self._before = None
        self._digest = digest
        self._near = near

    # -- making one ------------------------------------------------------------------

    @classmethod
    def full(cls, n: int) -> Subset:
        return cls(array("q", (0, n)), n) if n > 0 else EMPTY

    @classmethod
    def of(cls, indices: Iterable[int]) -> Subset:
        """Return the set of these indices, in any order."""
        members = sorted(set(indices))
        if not members:
            return EMPTY
        gaps = [at for at in pairwise(members) if at[1] - at[0] > 1]
        inner = chain.from_iterable([(last + 1, first) for last, first in gaps])
        return cls(array("q", (members[0], *inner, members[-1] + 1)), len(members))

    # -- what it holds ---------------------------------------------------------------

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return self._size > 0

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(map(range, self.bounds[::2], self.bounds[1::2]))

    def __contains__(self, index: object) -> bool:
        return bisect_right(self.bounds, cast("int", index)) % 2 == 1

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The maximal runs, as (start, stop) pairs."""
        return list(zip(self.bounds[::2], self.bounds[1::2], strict=True))

    @property
    def _counts_before(self) -> list[int]:
        """The number of members before each run, and at last of all members."""
        if self._before is None:
            lengths = map(sub, self.bounds[1::2], self.bounds[::2])
            self._before = list(accumulate(lengths, initial=0))
        return self._before

    # -- by position -----------------------------------------------------------------

    @overload
    def __getitem__(self, position: int) -> int: ...
    @overload
    def __getitem__(self, position: slice) -> Subset: ...
    def __getitem__(self, position: int | slice) -> int | Subset:
        """Return the member at a position, or the members at a range of positions."""
        if isinstance(position, slice):
            lo, hi, step = position.indices(self._size)
            if step != 1:
                raise ValueError("a subset is sliced with step 1")
            return self._between(lo, max(lo, hi))
        if position < 0:
            position += self._size
        if not 0 <= position < self._size:
            raise IndexError(f"position {position} of a subset of {self._size}")
        return self._locate(position)[1]

    def take(self, positions: Iterable[int]) -> Subset:
        """Return the members at these positions, in any order."""
        chosen = positions if isinstance(positions, Subset) else Subset.of(positions)
        bounds = array("q")
        for start, stop in chosen.runs:  # the parts do not touch: a member is between them
            bounds += self._between(start, stop).bounds
        return Subset(bounds, len(chosen))

    def rank(self, index: int) -> int:
        """Return the number of members below `index`."""
        at = bisect_right(self.bounds, index)
        before = self._counts_before[at // 2]
        return before + (index - self.bounds[at - 1] if at & 1 else 0)

    def without(self, lo: int, hi: int) -> Subset:
        """Return the subset without the members at positions lo..hi-1."""
        lo, hi = max(lo, 0), min(hi, self._size)
        if lo >= hi:
            return self
        first, start = self._locate(lo)
        near = self._near  # the runs before the first one are the same
        last, end = self._locate(hi - 1)
        stop = end + 1
        bounds = self.bounds
        # If an end of the gap is inside a run, it becomes a bound.
        opens, closes = start > bounds[2 * first], stop < bounds[2 * last + 1]
        left, right = 2 * first + opens, 2 * last + 2 - closes
        after = bounds[:left]
        if opens:
            after.append(start)
        if closes:
            after.append(stop)
        after += bounds[right:]
        removed = _sum_of_runs(self._cut(first, start, last, stop))
        return Subset(after, self._size - (hi - lo), _minus(self.digest, removed), near)

    def _between(self, lo: int, hi: int) -> Subset:
        if lo >= hi:
            return EMPTY
        if hi - lo == self._size:
            return self
        (first, start), (last, end) = self._locate(lo), self._locate(hi - 1)
        return Subset(self._cut(first, start, last, end + 1), hi - lo)

    def _locate(self, position: int) -> tuple[int, int]:
        """Return the run a position falls in, and the member there."""
        bounds = self.bounds
        run, before = self._near
        at = 2 * run
        if self._before is None:
            last = len(bounds)
            if at >= last:
                at = before = 0
            for _ in range(_MAX_STEPS):
                if position < before:
                    at -= 2
                    before -= bounds[at + 1] - bounds[at]
                    continue
                after = before + bounds[at + 1] - bounds[at]
                if position < after:
                    self._near = at >> 1, before
                    return at >> 1, bounds[at] + position - before
                at, before = at + 2, after
        table = self._counts_before
        run = bisect_right(table, position) - 1
        self._near = run, table[run]
        return run, bounds[2 * run] + position - table[run]

    def _cut(self, first: int, start: int, last: int, stop: int) -> array[int]:
        bounds = self.bounds[2 * first : 2 * last + 2]
        bounds[0], bounds[-1] = start, stop
        return bounds

    # -- disjoint sets and subsets ---------------------------------------------------

    def plus(self, part: Subset) -> Subset:
        """Return the union with `part`, which must be disjoint: cheaper than `|`."""
        if not self or not part:
            return self or part
        return Subset(
            _toggled(self.bounds, part.bounds),
            self._size + part._size,
            _plus(self.digest, part.digest),
        )

    def less(self, part: Subset) -> Subset:
        """Return the difference with `part`, which must be a subset of this: cheaper than `-`."""
        return Subset(
            _toggled(self.bounds, part.bounds),
            self._size - part._size,
            _minus(self.digest, part.digest),
        )

    # -- as a set --------------------------------------------------------------------

    def __or__(self, other: Subset) -> Subset:
        return self.plus(other - self)

    def __and__(self, other: Subset) -> Subset:
        return Subset(_both(self.bounds, other.bounds))

    def __sub__(self, other: Subset) -> Subset:
        return self.less(self & other)

    def __le__(self, other: Subset) -> bool:
        return self._size <= other._size and not self - other

    def __lt__(self, other: Subset) -> bool:
        return self._size < other._size and not self - other

    def isdisjoint(self, other: Subset) -> bool:
        return not self & other

    # -- identity --------------------------------------------------------------------

    @property
    def digest(self) -> int:
        """A 128-bit fingerprint: the digests of disjoint sets add up to the digest of their union.

        A run contributes F(stop) - F(start) for a pseudo-random F, so touching runs telescope, and
        removing a member costs one subtraction.
        """
        if self._digest is None:
            self._digest = _sum_of_runs(self.bounds)
        return self._digest

    def digests_without_each(self) -> Iterator[int]:
        """Yield the digest of this set without each of its members, in order."""
        for member in self:
            yield _minus(self.digest, _minus(_mixed(member + 1), _mixed(member)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Subset):
            return NotImplemented
        return self._size == other._size and self.bounds == other.bounds

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        shown = [f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in self.runs[:8]]
        more = ", ..." if len(self.bounds) > 16 else ""
        return f"Subset({', '.join(shown)}{more}; {self._size} in all)"


@lru_cache(maxsize=1 << 14)
def _mixed(value: int) -> int:
    """Return two pseudo-random 64-bit numbers for a value, as one digest (splitmix64)."""
    digest = 0
    for salt in _SALTS:
        mixed = (value + 1) * salt & _MASK
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MASK
        digest = digest << 64 | mixed ^ mixed >> 31
    return digest


def _sum_of_runs(bounds: array[int]) -> int:
    if len(bounds) == 2:  # the most frequent case
        return _minus(_mixed(bounds[1]), _mixed(bounds[0]))
    stops, starts = [*map(_mixed, bounds[1::2])], [*map(_mixed, bounds[::2])]
    low = sum([each & _MASK for each in stops]) - sum([each & _MASK for each in starts])
    high = sum([each >> 64 for each in stops]) - sum([each >> 64 for each in starts])
    return (high & _MASK) << 64 | low & _MASK


def _plus(one: int, other: int) -> int:
    """Add digests: each 64-bit half by itself."""
    return ((one >> 64) + (other >> 64) & _MASK) << 64 | (one + other & _MASK)


def _minus(one: int, other: int) -> int:
    """Subtract digests: each 64-bit half by itself."""
    return ((one >> 64) - (other >> 64) & _MASK) << 64 | (one - other & _MASK)


def _toggled(bounds: array[int], others: array[int]) -> array[int]:
    """Return the bounds of the symmetric difference: the bounds that are in only one of both.

    Costs a bisection for each bound of the shorter one, and a copy of the other.
    """
    if len(bounds) < len(others):
        bounds, others = others, bounds
    toggled, at = array("q"), 0
    for bound in others:
        to = bisect_left(bounds, bound, at)
        toggled += bounds[at:to]
        is_in_both = to < len(bounds) and bounds[to] == bound
        if not is_in_both:
            toggled.append(bound)
        at = to + is_in_both
    toggled += bounds[at:]
    return toggled


def _both(bounds: array[int], others: array[int]) -> array[int]:
    """Return the bounds of the intersection; the cost is as in `_toggled`."""
    if len(bounds) < len(others):
        bounds, others = others, bounds
    both = array("q")
    for start, stop in zip(others[::2], others[1::2], strict=True):
        first, last = bisect_right(bounds, start), bisect_left(bounds, stop)
        if first & 1:
            both.append(start)
        both += bounds[first:last]
        if last & 1:
            both.append(stop)
    return both


EMPTY = Subset(array("q"), 0)
