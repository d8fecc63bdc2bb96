"""Theorem 5 of record/limits.md: no algorithm is at most twice as dear as the best of three."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from limits.hostile import Hostile
from nubbin.minimizers import ALGORITHMS, Settings, Subset
from nubbin.minimizers.backward import Backward
from problems import drive

#: The length of the lists, 2^h + 3, and what a trap costs but for O(log N); T^2 < N.
H, T = 8, 16
N = (1 << H) + 3
STARTS = {
    "adaptive": ALGORITHMS["adaptive"],
    "-adaptive": Backward.of(ALGORITHMS["adaptive"]),
    "lithium": ALGORITHMS["lithium"],
}


def of_adaptive(first: int) -> list[int]:
    """Return the order of a trap of adaptive, which asks for so many elements before."""
    lengths = [*range(6), *(4 + (1 << i) for i in range(1, H))]
    ends = [*(first + each for each in lengths if first + each < N), N]
    steps = (reversed(range(lo, hi)) for lo, hi in pairwise(ends))
    return [*(each for step in steps for each in step), *range(first)]


def traps() -> Iterator[tuple[str, list[int]]]:
    """Yield an algorithm and an order, in which each element needs the next, for each trap."""
    for t in range(1, T):
        order = of_adaptive(t)
        yield "adaptive", order
        yield "-adaptive", [N - 1 - each for each in order]
    for at in range(size := (4 << H) // T, 1 << H, size):
        yield "lithium", [*range(at, N), *range(at)]


def needing(order: list[int]) -> Hostile:
    """Return the test: the last element is wanted, and each needs the next."""
    needs = dict(pairwise(order)) | {order[-1]: order[-1]}
    return Hostile((order[-1],), tuple(needs[each] for each in range(N)))


def test_traps_are_cheap_for_their_own_algorithm_and_share_no_interesting_subset() -> None:
    """So some trap takes any algorithm as many questions as there are traps."""
    seen: set[frozenset[int]] = set()
    found = [*traps()]
    for name, order in found:
        state = drive(STARTS[name](Subset.full(N), Settings()), needing(order))
        assert len(state.queries) <= T + 4 * math.log2(N)
        assert list(state.kept) == order[-1:]
        seen.update(frozenset(order[:length]) for length in range(1, N))
    assert len(found) >= 9 / 4 * T - 4
    assert len(seen) == len(found) * (N - 1)
