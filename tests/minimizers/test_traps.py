"""Theorem 5 of docs/limits.md: no algorithm is at most twice as dear as the best of three."""

from __future__ import annotations

import math

from nubbin.minimizers import ALGORITHMS, Settings, Subset
from nubbin.minimizers.backward import Backward

#: The length of the lists, 2^h + 3, and what a trap costs but for O(log N); T^2 < N.
H, T = 12, 32
N = (1 << H) + 3
STARTS = {
    "adaptive": ALGORITHMS["adaptive"],
    "-adaptive": Backward.of(ALGORITHMS["adaptive"]),
    "lithium": ALGORITHMS["lithium"],
}


def trap(name: str, refused: int) -> tuple[int, frozenset[Subset]]:
    """Return the questions of an algorithm in its trap, and the keys of that.

    So many questions are refused, and after them only the empty subset is.
    """
    state, asked, keys = STARTS[name](Subset.full(N), Settings()), 0, set()
    while wave := state.ask():
        (query,) = wave
        asked += 1
        is_key = asked > refused and bool(query.kept)
        if is_key:
            keys.add(query.kept)
        state = state.tell((is_key,))
    return asked, frozenset(keys)


def chunks_before(size: int) -> int:
    """Return the questions of Lithium before its chunks of `size`, if all are refused."""
    longer = (1 << level for level in range(H + 1) if 1 << level > size)
    return sum(math.ceil(N / each) for each in longer)


def test_traps_are_cheap_for_their_own_algorithm_and_share_no_key() -> None:
    """So some trap takes any algorithm as many questions as there are traps."""
    size = (4 << H) // T
    traps = [trap("adaptive", t) for t in range(1, T)]
    traps += [trap("-adaptive", t) for t in range(1, T) if t != N - (1 << H)]
    traps += [trap("lithium", chunks_before(size) + at) for at in range(1, (1 << H) // size)]
    assert len(traps) >= 9 / 4 * T - 4
    assert max(asked for asked, _ in traps) <= T + 4 * math.log2(N)
    assert len(frozenset().union(*(keys for _, keys in traps))) == sum(
        len(keys) for _, keys in traps
    )
