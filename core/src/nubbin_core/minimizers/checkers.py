"""The definitions of Wang's "Analysis of Lithium's algorithm", checked by brute force."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from nubbin_core.minimizers.subset import Subset

Interesting = Callable[[Subset], bool]


def is_minimal(interesting: Interesting, kept: Subset, n: int | None = None) -> bool:
    """Tell whether `kept` is n-minimal; with no n, whether it is minimal.

    That is, whether no proper subset that lacks at most n elements is interesting; the empty
    one never counts as interesting. Asks at most sum(C(M, k), k = 1..min(n, M - 1)) questions
    for M elements. Raises ValueError unless n is at least 1.
    """
    if n is not None and n < 1:
        raise ValueError(f"n-minimality is defined for n >= 1, not {n}")
    most = len(kept) - 1 if n is None else min(n, len(kept) - 1)
    return not any(
        interesting(kept.less(kept.take(gone)))
        for size in range(1, most + 1)
        for gone in combinations(range(len(kept)), size)
    )


def is_monotone(interesting: Interesting, kept: Subset) -> bool:
    """Tell whether every superset, within `kept`, of an interesting subset is interesting.

    Asks all 2^M questions, and compares only subsets that differ in one element: a chain from an
    interesting subset to a larger uninteresting one has such a step.
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

    Intervals may touch or overlap, so that whatever has up to C runs, and is not empty, is. Asks no
    question. Raises ValueError unless C is at least 1.
    """
    if clusters < 1:
        raise ValueError(f"a subset is C-clustered for C >= 1, not {clusters}")
    return 1 <= len(kept.runs) <= clusters
