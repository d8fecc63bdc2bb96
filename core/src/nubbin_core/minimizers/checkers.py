"""Check the definitions of Wang's "Analysis of Lithium's algorithm" by brute force."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from nubbin_core.minimizers.subset import Subset

Interesting = Callable[[Subset], bool]


def is_minimal(interesting: Interesting, kept: Subset, n: int | None = None) -> bool:
    """Tell whether `kept` is n-minimal; without n, whether it is minimal.

    It is if no subset that lacks 1 to n of its elements is interesting; the empty one never counts
    as interesting. Costs at most sum(C(M, k), k = 1..min(n, M - 1)) calls for M elements. Raises
    ValueError unless n is at least 1.
    """
    if n is not None and n < 1:
        raise ValueError(f"n-minimality is defined for n >= 1, not {n}")
    most = len(kept) - 1 if n is None else min(n, len(kept) - 1)
    return not any(
        interesting(kept.less(kept.take(removed)))
        for size in range(1, most + 1)
        for removed in combinations(range(len(kept)), size)
    )


def is_monotone(interesting: Interesting, kept: Subset) -> bool:
    """Tell whether every superset, within `kept`, of an interesting subset is interesting.

    Costs 2^M calls. It compares only subsets that differ in one element, because a chain from an
    interesting subset to a larger one that is not has such a step.
    """
    members = list(kept)
    answer = [
        interesting(Subset.of(member for bit, member in enumerate(members) if mask >> bit & 1))
        for mask in range(1 << len(members))
    ]
    return all(
        answer[mask | 1 << bit]
        for mask in range(1 << len(members))
        if answer[mask]
        for bit in range(len(members))
    )


def is_clustered(kept: Subset, clusters: int) -> bool:
    """Tell whether `kept` is C-clustered: the union of C intervals that are not empty.

    Intervals may touch or overlap, so a subset of 1 to C runs is C-clustered. Raises ValueError
    unless C is at least 1.
    """
    if clusters < 1:
        raise ValueError(f"a subset is C-clustered for C >= 1, not {clusters}")
    return 1 <= len(kept.runs) <= clusters
