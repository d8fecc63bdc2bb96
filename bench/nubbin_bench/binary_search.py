"""Lithium against repeated binary search, which Wang compares on monotone problems."""

from __future__ import annotations

from functools import cache
from math import log

from nubbin_bench import lithium_bounds as bounds
from nubbin_bench.lists import holding
from nubbin_bench.markdown import table
from nubbin_bench.theory import asked, clusters


@cache
def scattered_counts() -> dict[tuple[int, int], tuple[int, int]]:
    """Return the queries of Lithium and of bisection on M scattered elements of N."""
    counts = {}
    for n in (256, 1024, 4096):
        for m in sorted({1, 16, n // 16, n // 4}):
            anywhere = clusters(n, m, m, 0)
            counts[n, m] = (asked("lithium", n, anywhere), asked("bisect", n, anywhere))
    return counts


def bisect_ahead() -> str:
    """Return on how many of the scattered lists bisection asks less than Lithium."""
    counts = scattered_counts().values()
    ahead = sum(bisect < lithium for lithium, bisect in counts)
    return f"bisect asks less on {ahead} of {len(counts)} scattered lists"


def prefixes() -> str:
    """Return the case that Wang works out, [1, M], in which bisection is at its worst."""
    rows = []
    for (n, m), anywhere in scattered_counts().items():
        first = holding(n, range(m))
        figures = [asked("lithium", n, first), bounds.prefix(n, m), asked("bisect", n, first)]
        rows.append([f"N={n}, M={m}", *(f"{x:,.0f}" for x in (*figures, *anywhere, m * log(n, 2)))])
    head = ["", "lithium, prefix", "its bound", "bisect, prefix"]
    return table([*head, "lithium, scattered", "bisect, scattered", "M log2 N"], rows)


def average() -> str:
    """Return binary search's queries on scattered lists, over Wang's bound on their average."""
    counts = scattered_counts().items()
    ratios = [bisect / (m * log(n, 2) / 2) for (n, m), (_, bisect) in counts]
    return f"{min(ratios):.2f} to {max(ratios):.2f} times that, on {len(ratios)} lists"
