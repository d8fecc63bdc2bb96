"""Subset: an immutable set of element indices, stored as its maximal runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, overload

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

_MASK = (1 << 64) - 1
# Two independent 64-bit mixes make one 128-bit digest.
_SALTS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)


class Subset:
    """An immutable, hashable set of indices out of 0..N-1.

    Stored as its maximal runs: `bounds` is the strictly increasing array
    `start0, stop0, start1, stop1, ...`, so a million elements with nothing deleted are two
    numbers. Positions (`s[3]`, `s[10:20]`, `s.without(10, 20)`) count the members in order,
    which is what deletion algorithms reason about; indices are the members themselves.

    Every operation costs time linear in the number of runs, in C, never in N.
    """

    __slots__ = ("_before", "_digest", "_size", "bounds")

    bounds: Indices
    _size: int
    _before: Indices | None
    _digest: int | None

    def __init__(self, bounds: Indices, size: int | None = None, digest: int | None = None):
        bounds.flags.writeable = False
        self.bounds = bounds
        self._size = int((bounds[1::2] - bounds[::2]).sum()) if size is None else size
        self._before = None
        self._digest = digest

    # -- making one ------------------------------------------------------------------

    @classmethod
    def full(cls, n: int) -> Subset:
        """Return all of 0..n-1."""
        return cls(np.array([0, n] if n > 0 else [], dtype=np.int64), max(n, 0))

    @classmethod
    def of(cls, indices: Iterable[int]) -> Subset:
        """Return the set of these indices, given in any order."""
        if not isinstance(indices, np.ndarray):
            indices = list(indices)
        members = np.unique(np.asarray(indices, dtype=np.int64))
        if not members.size:
            return EMPTY
        gaps = (members[1:] - members[:-1] > 1).nonzero()[0]
        bounds = np.empty(2 * gaps.size + 2, dtype=np.int64)
        bounds[0] = members[0]
        bounds[1:-1:2] = members[gaps] + 1
        bounds[2::2] = members[gaps + 1]
        bounds[-1] = members[-1] + 1
        return cls(bounds, int(members.size))

    # -- what it holds ---------------------------------------------------------------

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return self._size > 0

    def __iter__(self) -> Iterator[int]:
        for start, stop in self.runs:
            yield from range(start, stop)

    def __contains__(self, index: object) -> bool:
        return bool(np.searchsorted(self.bounds, np.asarray(index), side="right") & 1)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The maximal runs, as (start, stop) pairs."""
        flat = self.bounds.tolist()
        return list(zip(flat[::2], flat[1::2], strict=True))

    @property
    def indices(self) -> Indices:
        """The members in order, as an array of shape (len,)."""
        starts, lengths = self.bounds[::2], self.bounds[1::2] - self.bounds[::2]
        shift = (starts - self._counts_before[:-1]).repeat(lengths)
        return shift + np.arange(self._size, dtype=np.int64)

    @property
    def _counts_before(self) -> Indices:
        """The number of members before each run, and at last of all members: shape (runs + 1,)."""
        if self._before is None:
            before = np.zeros(self.bounds.size // 2 + 1, dtype=np.int64)
            (self.bounds[1::2] - self.bounds[::2]).cumsum(out=before[1:])
            self._before = before
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

    def take(self, positions: Indices) -> Subset:
        """Return the members at these positions, given in any order."""
        runs = np.searchsorted(self._counts_before, positions, side="right") - 1
        return Subset.of(self.bounds[2 * runs] + positions - self._counts_before[runs])

    def rank(self, index: int) -> int:
        """Return the number of members below `index`: the position that it has or would have."""
        at = int(self.bounds.searchsorted(index, "right"))
        before = int(self._counts_before[at // 2])
        return before + (index - int(self.bounds[at - 1]) if at & 1 else 0)

    def without(self, lo: int, hi: int) -> Subset:
        """Return the subset that lacks the members at positions lo..hi-1."""
        lo, hi = max(lo, 0), min(hi, self._size)
        if lo >= hi:
            return self
        (first, start), (last, end) = self._locate(lo), self._locate(hi - 1)
        stop = end + 1
        # An end of the gap that is inside a run becomes a bound.
        opens = bool(start > self.bounds[2 * first])
        closes = bool(stop < self.bounds[2 * last + 1])
        left, right = 2 * first + opens, 2 * last + 2 - closes
        ends = np.array([start][:opens] + [stop][:closes], dtype=np.int64)
        bounds = np.concatenate((self.bounds[:left], ends, self.bounds[right:]))
        gone = _sum_of_runs(self._cut(first, start, last, stop))
        return Subset(bounds, self._size - (hi - lo), _minus(self.digest, gone))

    def _between(self, lo: int, hi: int) -> Subset:
        if lo >= hi:
            return EMPTY
        if hi - lo == self._size:
            return self
        (first, start), (last, end) = self._locate(lo), self._locate(hi - 1)
        return Subset(self._cut(first, start, last, end + 1), hi - lo)

    def _locate(self, position: int) -> tuple[int, int]:
        """Return the run a position falls in, and the member there."""
        run = int(self._counts_before.searchsorted(position, "right")) - 1
        return run, int(self.bounds[2 * run]) + position - int(self._counts_before[run])

    def _cut(self, first: int, start: int, last: int, stop: int) -> Indices:
        """Return the bounds of the part from `start` in one run to `stop` in another."""
        bounds = self.bounds[2 * first : 2 * last + 2].copy()
        bounds[0], bounds[-1] = start, stop
        return bounds

    # -- of parts --------------------------------------------------------------------

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
        return self._combined(other, np.logical_or)

    def __and__(self, other: Subset) -> Subset:
        return self._combined(other, np.logical_and)

    def __sub__(self, other: Subset) -> Subset:
        return self._combined(other, lambda mine, theirs: mine & ~theirs)

    def __le__(self, other: Subset) -> bool:
        return self._size <= other._size and not self - other

    def __lt__(self, other: Subset) -> bool:
        return self._size < other._size and not self - other

    def isdisjoint(self, other: Subset) -> bool:
        """Tell whether no index is in both."""
        return not self & other

    def _combined(self, other: Subset, rule: Callable[[Any, Any], Any]) -> Subset:
        cuts = np.union1d(self.bounds, other.bounds)
        mine = (np.searchsorted(self.bounds, cuts, side="right") & 1).astype(bool)
        theirs = (np.searchsorted(other.bounds, cuts, side="right") & 1).astype(bool)
        inside = rule(mine, theirs)
        # A bound of the result is a cut at which membership changes.
        return Subset(cuts[np.flatnonzero(np.diff(inside, prepend=False))])

    # -- identity --------------------------------------------------------------------

    @property
    def digest(self) -> int:
        """A 128-bit fingerprint that adds up: the digests of disjoint sets sum to their union's.

        A run's share is F(stop) - F(start) for a pseudo-random F, so that runs that touch
        telescope, and to take a member out is one subtraction.
        """
        if self._digest is None:
            self._digest = _sum_of_runs(self.bounds)
        return self._digest

    def digests_without_each(self) -> list[int]:
        """Return the digest of this set less each one of its members, in order.

        A proof of 1-minimality looks them up. Linear in the members, in C except for the list.
        """
        members = self.indices
        shares = _mix(members + 1) - _mix(members)
        whole = np.array([self.digest >> 64, self.digest & _MASK], dtype=np.uint64)
        high, low = (whole[:, None] - shares).tolist()
        return [a << 64 | b for a, b in zip(high, low, strict=True)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Subset):
            return NotImplemented
        return self._size == other._size and np.array_equal(self.bounds, other.bounds)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        shown = [f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in self.runs[:8]]
        more = ", ..." if self.bounds.size > 16 else ""
        return f"Subset({', '.join(shown)}{more}; {self._size} in all)"


def _mix(values: Indices) -> npt.NDArray[np.uint64]:
    """Return two pseudo-random 64-bit numbers for each value (splitmix64): shape (2, values)."""
    mixed = (values.astype(np.uint64) + np.uint64(1)) * np.array(_SALTS, dtype=np.uint64)[:, None]
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _mix_one(value: int) -> int:
    """Return both of `_mix`'s numbers for one value, as one 128-bit digest."""
    digest = 0
    for salt in _SALTS:
        mixed = (value + 1) * salt & _MASK
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MASK
        digest = digest << 64 | mixed ^ mixed >> 31
    return digest


def _sum_of_runs(bounds: Indices) -> int:
    """Return the digest of the set with these bounds."""
    if bounds.size == 2:  # the most frequent case; numpy would cost four times this
        start, stop = bounds.tolist()
        return _minus(_mix_one(stop), _mix_one(start))
    mixed = _mix(bounds)
    high, low = (mixed[:, 1::2] - mixed[:, ::2]).sum(axis=1, dtype=np.uint64).tolist()
    return int(high) << 64 | int(low)


def _plus(one: int, other: int) -> int:
    """Add digests: each 64-bit half by itself."""
    return ((one >> 64) + (other >> 64) & _MASK) << 64 | (one + other & _MASK)


def _minus(one: int, other: int) -> int:
    """Subtract digests: each 64-bit half by itself."""
    return ((one >> 64) - (other >> 64) & _MASK) << 64 | (one - other & _MASK)


def _toggled(bounds: Indices, others: Indices) -> Indices:
    """Return the bounds of the symmetric difference: those that are in only one of both."""
    cuts = np.concatenate((bounds, others))
    cuts.sort(kind="stable")  # a merge of two sorted runs, linear
    single = np.ones(cuts.size + 1, dtype=bool)
    np.not_equal(cuts[1:], cuts[:-1], out=single[1:-1])
    return cuts[single[1:] & single[:-1]]


EMPTY = Subset(np.array([], dtype=np.int64), 0)
