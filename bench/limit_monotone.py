"""Problems with one minimal set, against bounds and benchmarks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from limit_costs import OTHERS, Cell, Costs
from nubbin_bench.lists import clustered, placed, scattered
from nubbin_bench.markdown import print_table
from nubbin_bench.plots import drawing


def log2_choose(n: int, m: int) -> float:
    """Return the logarithm of the number of sets of M among N."""
    return (math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)) / math.log(2)


def benchmark(n: int, m: int) -> float:
    """Return the bits that identify M of N, and M proofs; from M = 0.38 N on, N + M."""
    return log2_choose(n, m) + m if m / n <= 0.38 else n + m


def seeds_for(n: int, m: int, *, short: bool) -> int:
    """Return the number of seeds that a row of a table is worth."""
    return max(1, min(40, 10_000 // (m * 8 + n // 50 + 40)) // (8 if short else 1))


def versus(costs: Costs, cell: Cell, *limits: float) -> list[str]:
    """Return a row: `auto`, the best of the others, their ratio, and the ratio to each limit."""
    ours, best = costs.of_auto(cell).queries, costs.of_others(cell)[0]
    row = [cell.label, f"{ours:,.0f}", f"{best.queries:,.0f} ({best.algorithm})"]
    row.append(f"{ours / best.queries:.2f}")
    return [*row, *(f"{ours / limit:.3f}" for limit in limits)]


def scattered_rows(costs: Costs, *, short: bool) -> Iterator[list[str]]:
    """Yield a row for each number of elements and of essential ones."""
    for n in (100, 1_000, 10_000):
        shares = (0.001, 0.01, 0.03, 0.1, 0.3, 0.38, 0.6, 0.9, 0.99)
        for m in sorted({1, *(round(n * share) for share in shares)} - {0}):
            if (n > 1_000 and m > 0.1 * n) or (short and m > 1_000):
                continue
            limit, label = benchmark(n, m), f"N={n:,}, M={m:,}"
            cell = Cell(label, scattered(n, m), n, seeds_for(n, m, short=short))
            yield versus(costs, cell, limit)


def print_scattered(costs: Costs, *, short: bool) -> None:
    """Print the table of scattered essential elements."""
    head = ["scattered", "auto", "best other", "ratio", "to the benchmark"]
    print_table(head, scattered_rows(costs, short=short))


def clustered_rows(costs: Costs, *, short: bool) -> Iterator[list[str]]:
    """Yield a row for each size of clusters."""
    for n in (1_000,) if short else (1_000, 10_000):
        for m in (n // 10, 3 * n // 10):
            for size in (3, 10, 50):
                placements = log2_choose(n - m + 1, m // size)
                label = f"N={n:,}, M={m:,}, clusters of {size}"
                seeds = seeds_for(n, m, short=short)
                cell = Cell(label, clustered(n, m, size), n, seeds)
                yield versus(costs, cell, 2 * m + placements, m + placements)


def print_clustered(costs: Costs, *, short: bool) -> None:
    """Print the table of essential elements in clusters."""
    head = ["clustered", "auto", "best other", "ratio"]
    head += ["to 2M + log2 C(N-M+1, C)", "to the bound"]
    print_table(head, clustered_rows(costs, short=short))


def placed_rows(costs: Costs, *, short: bool) -> Iterator[list[str]]:
    """Yield a row for each place of a block."""
    for n in (100, 1_000):
        for m in (n // 100, n // 10, n // 2):
            for place, start in (("prefix", 0), ("middle", (n - m) // 2), ("suffix", n - m)):
                cell = Cell(f"{place}, N={n:,}, M={m:,}", placed(n, start, start + m), n, 1)
                yield versus(costs, cell)


def print_placed(costs: Costs, *, short: bool) -> None:
    """Print the table of one block of essential elements."""
    print_table(["one block", "auto", "best other", "ratio"], placed_rows(costs, short=short))


def plot(costs: Costs, path: Path) -> None:
    """Draw queries over the benchmark against the density, for some algorithms, as an SVG."""
    n, seeds = 1_000, 5
    densities = (1, 3, 10, 30, 60, 100, 170, 300, 380, 500, 600, 750, 900, 970, 990)
    cells = [Cell(f"plot, N={n:,}, M={m}", scattered(n, m), n, seeds) for m in densities]
    limits = [benchmark(n, m) for m in densities]
    lines = {"auto": [costs.of_auto(cell).queries for cell in cells]}
    for name in ("-adaptive", "lithium", "cdd", "probdd", "bisect", "linear"):
        lines[name] = [costs.of(cell, name, OTHERS[name]).queries for cell in cells]
    with drawing(path, 7, 4, salt="limits", style={}) as figure:
        axes = figure.subplots()
        for name, counts in lines.items():
            ratios = [count / limit for count, limit in zip(counts, limits, strict=True)]
            width = 2.5 if name == "auto" else 1.2
            axes.plot([m / n for m in densities], ratios, label=name, linewidth=width)
        axes.axhline(1, color="0.6", linewidth=0.8, linestyle=":")
        axes.set(xscale="log", yscale="log", xlabel="essential share of 1,000 elements")
        axes.set_ylabel("queries over the benchmark")
        axes.set_yticks([], minor=True)
        axes.set_yticks(
            ticks := [1, 1.5, 2, 3, 5, 10, 20, 50, 100], [f"{tick:g}" for tick in ticks]
        )
        axes.set_xticks(shares := [0.001, 0.01, 0.1, 0.38, 1], [f"{share:.3g}" for share in shares])
        axes.legend(frameon=False)
