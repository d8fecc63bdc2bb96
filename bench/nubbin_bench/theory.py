"""Claims that need no real input: Lithium's bounds, blocks, densities."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from statistics import fmean

import numpy as np

from nubbin_bench import lithium_bounds as bounds
from nubbin_bench.lists import Interesting, drive, holding, scattered
from nubbin_bench.markdown import table
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from nubbin_core.minimizers.published.adaptive import Adaptive


def asked(name: str, n: int, interesting: Interesting) -> int:
    """Return how many queries an algorithm asks about N elements."""
    return drive(ALGORITHMS[name](Subset.full(n), Settings()), interesting)[1]


# -- Wang ----------------------------------------------------------------------------


@cache
def lithium_counts() -> dict[tuple[int, int, int], list[int]]:
    """Return Lithium's queries for N, M and C, in ten draws each."""
    return {
        (n, m, c): [asked("lithium", n, clusters(n, m, c, seed)) for seed in range(10)]
        for n in (256, 1024, 4096)
        for m in sorted({1, 16, n // 16, n // 4})
        for c in sorted({1, max(1, m // 8), m})
    }


def lithium() -> str:
    """Return Lithium's queries for N, M and C against Wang's bounds."""
    rows = []
    for (n, m, c), counts in lithium_counts().items():
        figures = [bounds.best(n, m), fmean(counts), max(counts)]
        figures += [bounds.clustered(n, m, c), bounds.monotone(n, m), bounds.worst(n, m)]
        rows.append([f"N={n}, M={m}, C={c}", *(f"{each:,.0f}" for each in figures)])
    head = ["", "best case", "mean", "most", "C-clustered", "monotone", "worst case"]
    return table(head, rows)


def lithium_outside() -> str:
    """Return how many draws are outside each of the bounds."""
    counts = [(key, count) for key, draws in lithium_counts().items() for count in draws]
    outside = {
        "under the best case": sum(count < bounds.best(n, m) for (n, m, _), count in counts),
        "over the bound for C clusters": sum(
            count > bounds.clustered(n, m, c) for (n, m, c), count in counts
        ),
        "over the monotone bound": sum(
            count > bounds.monotone(n, m) for (n, m, _), count in counts
        ),
    }
    parts = ", ".join(f"{found} {where}" for where, found in outside.items())
    return f"of {len(counts)} draws {parts}"


def spaced() -> str:
    """Return Lithium's queries on evenly spaced elements, over Wang's least and his greatest."""
    lists = [(n, m) for n in (256, 1024, 4096) for m in (4, 16, 64)]
    counts = {(n, m): asked("lithium", n, holding(n, range(0, n, n // m))) for n, m in lists}
    under = sum(
        count < 2 * m * (bounds.log2(n) - bounds.log2(m) - 2) for (n, m), count in counts.items()
    )
    equal = sum(count == bounds.monotone(n, m) for (n, m), count in counts.items())
    return f"fewer on {under} of {len(lists)} lists, and exactly the monotone bound on {equal}"


def clusters(n: int, m: int, c: int, seed: int) -> Interesting:
    """M essential elements in C clusters of about one length that do not touch, at random."""
    rng = np.random.default_rng(seed)
    lengths = np.full(c, m // c) + (np.arange(c) < m % c)
    # Of the N - M others, at least one stands between two runs.
    gaps = np.sort(rng.choice(n - m + 1, c, replace=False))
    starts = gaps + np.concatenate(([0], np.cumsum(lengths)[:-1]))
    return holding(
        n, (int(i) for s, k in zip(starts, lengths, strict=True) for i in range(s, s + k))
    )


def ddmin_over_lithium(n: int) -> str:
    """Return ddmin's queries over Lithium's, on lists of N elements of which some are essential."""
    lists = [clusters(n, m, c, 0) for m in (1, n // 16, n // 4) for c in sorted({1, m})]
    ratios = [asked("ddmin", n, each) / asked("lithium", n, each) for each in lists]
    return f"{min(ratios):.1f} to {max(ratios):.1f} times as many queries, on {len(lists)} lists"


def quadratic() -> str:
    """Return queries in Wang's worst case, as printed and mirrored."""
    rows = []
    for n in range(4, 10):
        size = 2**n

        def mirrored(kept: Subset, size: int = size) -> bool:
            return bounds.quadratic(size, kept)

        def printed(kept: Subset, size: int = size) -> bool:
            return bounds.quadratic(size, Subset.of(size - 1 - i for i in kept))

        count, far = asked("lithium", size, printed), asked("lithium", size, mirrored)
        others = [asked(name, size, mirrored) for name in ("ddmin", "cdd", "auto")]
        share = f"{far / size**2:.3f}"
        rows.append(
            [f"{size}", f"{count:,}", f"{far:,}", share, f"{bounds.worst(size, 1):,}"]
            + [f"{each:,}" for each in others]
        )
    head = ["N", "as printed", "mirrored", "of N²", "worst case"]
    return table([*head, "ddmin, mirrored", "cdd", "auto"], rows)


# -- MacIver -------------------------------------------------------------------------


@cache
def block_counts() -> dict[int, int]:
    """Return adaptive's queries to delete a block of each length and find its end."""
    counts = {}
    for block in (*range(1, 17), 24, 32, 48, 64, 128, 256):
        n = 4 * block + 20
        interesting = holding(n, range(block, n))
        state, counts[block] = ALGORITHMS["adaptive"](Subset.full(n), Settings()), 0
        while isinstance(state, Adaptive) and state.at == 0:
            (query,) = state.ask()
            state = state.tell((interesting(query.kept),))
            counts[block] += 1
    return counts


def blocks() -> str:
    """Return the queries to delete a block and find its end, over greedy's block + 1."""
    rows = [
        [f"{block}", f"{count}", f"{count / (block + 1):.6f}"]
        for block, count in block_counts().items()
    ]
    return table(["block size", "queries", "ratio"], rows)


def worst_block() -> str:
    """Return the greatest ratio of `blocks`, and from which length on all are under 1."""
    ratios = {block: count / (block + 1) for block, count in block_counts().items()}
    last = max(block for block, ratio in ratios.items() if ratio >= 1)
    return f"at most {max(ratios.values()):.3f} of greedy's calls, and less than 1 after {last}"


def article_ddmin(n: int, interesting: Interesting) -> int:
    """Return the calls of the article's listing of delta debugging, with the advance it forgets."""
    kept, size, count = Subset.full(n), n // 2, 0
    while size:
        before, at = kept, 0
        while at < len(kept):
            attempt, count = kept.without(at, min(at + size, len(kept))), count + 1
            if interesting(attempt):
                kept = attempt
            else:
                at += size
        if kept == before:
            size //= 2
    return count


#: What adaptive is compared with: by the head of a column, how its queries are counted.
_OTHERS: dict[str, Callable[[int, Interesting], int]] = {
    "article's ddmin": article_ddmin,
    "ddmin": partial(asked, "ddmin"),
    "greedy, going on": partial(asked, "linear"),
    "auto": partial(asked, "auto"),
}


@cache
def _against_others(n: int, draws: int, share: float) -> tuple[float, dict[str, float]]:
    """Return adaptive's mean queries, and these over others'."""
    problem = scattered(n, max(1, round(share * n)))
    lists = [problem(np.random.default_rng(seed))[1] for seed in range(draws)]
    ours = fmean(asked("adaptive", n, each) for each in lists)
    theirs = {name: fmean(count(n, each) for each in lists) for name, count in _OTHERS.items()}
    return ours, {name: ours / mean for name, mean in theirs.items()}


_SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)


def densities(n: int, draws: int) -> str:
    """Return adaptive's mean queries over others', for 1 % to 99 % essential elements."""
    rows = []
    for share in _SHARES:
        ours, ratios = _against_others(n, draws, share)
        rows.append([f"{share:.0%}", f"{ours:,.0f}", *(f"{each:.2f}" for each in ratios.values())])
    return table(["essential", "adaptive", *(f"to {name}" for name in _OTHERS)], rows)


def densities_range(n: int, draws: int) -> str:
    """Return the least and the greatest of these ratios to both forms of ddmin."""
    told = []
    for name in ("article's ddmin", "ddmin"):
        ratios = [_against_others(n, draws, share)[1][name] for share in _SHARES]
        told.append(f"{min(ratios):.0%} to {max(ratios):.0%}")
    return f"{told[0]} of the article's ddmin, {told[1]} of ddmin's"
