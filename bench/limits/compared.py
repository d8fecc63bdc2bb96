"""Queries of `auto` beside every other algorithm, and lower bounds, by simulation.

    bench/run.py limits/compared [--short] [--again NAME ...] [--plot FILE] [TABLE ...]

Makes the tables of record/limits.md. Every count is of real calls: verdicts are cached, and at the
end every single removal from the result has been asked (`linear` follows the algorithms that do not
do so themselves). Seeds are fixed. What is in record/limits.csv is not measured again, but for the
algorithms of --again; so a run that was cut goes on where it was. --short has fewer and smaller
cells: a minute. --plot draws the scattered case.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.experiment import RECORD, Table
from limits.costs import MAX_ELEMENTS, NAMES, OTHERS, Cell, Costs
from limits.hostile import WORST
from nubbin_bench.auto_ablations import (
    forward,
    from_the_end,
    without_floor,
    without_leaps,
    without_mixture,
)
from nubbin_bench.lists import (
    alternatives,
    brackets,
    clustered,
    either,
    forest,
    groups,
    interval,
    mirrored,
    noisy,
    placed,
    prefix,
    records,
    scattered,
    suffix,
)
from nubbin_bench.plots import drawing
from nubbin_core.minimizers import Start

Row = list[str]
_TO_THE_OTHERS = "auto | best other | ratio"

# -- one minimal set: bounds and benchmarks ----------------------------------------------------


def log2_choose(n: int, m: int) -> float:
    """Return the logarithm of the number of sets of M among N."""
    return (math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)) / math.log(2)


def benchmark(n: int, m: int) -> float:
    """Return the bits that identify M of N, and M proofs; from M = 0.38 N on, N + M."""
    return log2_choose(n, m) + m if m / n <= 0.38 else n + m


def seeds_for(n: int, m: int, *, short: bool) -> int:
    """Return the number of seeds that a row of a table is worth."""
    return max(1, min(40, 10_000 // (m * 8 + n // 50 + 40)) // (8 if short else 1))


def versus(costs: Costs, cell: Cell, *limits: float) -> Row:
    """Return a row: `auto`, the best of the others, their ratio, and the ratio to each limit."""
    ours, best = costs.of_auto(cell).queries, costs.of_others(cell)[0]
    row = [cell.label, f"{ours:,.0f}", f"{best.queries:,.0f} ({best.algorithm})"]
    row.append(f"{ours / best.queries:.2f}")
    return [*row, *(f"{ours / limit:.3f}" for limit in limits)]


def scattered_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield a row for each number of elements and of essential ones."""
    for n in (100, 1_000, 10_000):
        shares = (0.001, 0.01, 0.03, 0.1, 0.3, 0.38, 0.6, 0.9, 0.99)
        for m in sorted({1, *(round(n * share) for share in shares)} - {0}):
            if (n > 1_000 and m > 0.1 * n) or (short and m > 1_000):
                continue
            seeds = seeds_for(n, m, short=short)
            yield versus(
                costs, Cell(f"N={n:,}, M={m:,}", scattered(n, m), n, seeds), benchmark(n, m)
            )


def clustered_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield a row for each size of clusters."""
    for n in (1_000,) if short else (1_000, 10_000):
        for m in (n // 10, 3 * n // 10):
            for size in (3, 10, 50):
                placements = log2_choose(n - m + 1, m // size)
                label = f"N={n:,}, M={m:,}, clusters of {size}"
                cell = Cell(label, clustered(n, m, size), n, seeds_for(n, m, short=short))
                yield versus(costs, cell, 2 * m + placements, m + placements)


def placed_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield a row for each place of a block."""
    for n in (100, 1_000):
        for m in (n // 100, n // 10, n // 2, 9 * n // 10):
            for place, start in (("prefix", 0), ("middle", (n - m) // 2), ("suffix", n - m)):
                cell = Cell(f"{place}, N={n:,}, M={m:,}", placed(n, start, start + m), n, 1)
                yield versus(costs, cell)


# -- problems that are not monotone, and hostile ones among them --------------------------------


def dependent(*, short: bool) -> Iterator[Cell]:
    """Yield the problems."""
    n, seeds = 300, 1 if short else 6
    for k in (1, 5, 20):
        yield Cell(f"forest, {k} wanted", forest(n, k), n, seeds)
    for k in (1, 5, 20):
        yield Cell(f"uses first, {k} wanted", mirrored(forest(n, k)), n, seeds)
    for name, make in (("suffix", suffix), ("prefix", prefix)):
        for least in (1, 128):
            yield Cell(f"{name}, at least {least}", make(256, least), 256, 1)
    yield Cell("pairs, 3 wanted", groups(n, 3, 2), n, seeds)
    for size, length, wanted in () if short else ((2, 1000, 5), (4, 1000, 3), (8, 1024, 3)):
        label = f"groups of {size}, N={length:,}, {wanted} wanted"
        yield Cell(label, groups(length, wanted, size), length, seeds)
    yield Cell("interval around 2, N=512", interval(512, 2), 512, seeds)
    for rate in (0.1, 0.3, 0.5, 0.8):
        yield Cell(f"noise {rate:.0%}", noisy(n, 10, rate), n, seeds)
    yield Cell("brackets, 3 wanted", brackets(n, 3), n, seeds)
    worst = len(WORST.needs), WORST
    yield Cell("worst of the search", lambda _: worst, len(WORST.needs), 1)


def dependent_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield for each problem `auto`, the best other, and the best that leaves no more."""
    for cell in dependent(short=short):
        ours, others = costs.of_auto(cell), costs.of_others(cell)
        row = [cell.label, f"{ours.queries:,.0f}", f"{ours.left:,.0f}"]
        for best in (others[0], next((o for o in others if o.left <= ours.left), ours)):
            row += [f"{best.queries:,.0f} ({best.algorithm})", f"{best.left:,.0f}"]
            row += [f"{ours.queries / best.queries:.2f}"]
        yield row


def direction_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield the best from the front, the best from either end, and `auto`.

    The order of some lists means nothing, and the dependencies of others have one.
    """
    n, seeds = 1_000, seeds_for(1_000, 100, short=short)
    ordered = ("forest", "uses first", "suffix", "prefix")
    for cell in (
        Cell(f"N={n:,}, M=100", scattered(n, 100), n, seeds),
        Cell(f"N={n:,}, M=100, clusters of 10", clustered(n, 100, 10), n, seeds),
        *(cell for cell in dependent(short=short) if cell.label.startswith(ordered)),
    ):
        ours, others = costs.of_auto(cell).queries, costs.of_others(cell)
        front = next(each for each in others if not each.algorithm.startswith("-"))
        row = [cell.label, f"{front.queries:,.0f} ({front.algorithm})"]
        row += [f"{others[0].queries:,.0f} ({others[0].algorithm})", f"{ours:,.0f}"]
        lead = math.log(front.queries / ours)
        end = math.log(front.queries / others[0].queries)
        yield [*row, f"{ours / front.queries:.2f}", f"{end / lead:.0%}" if lead > 0.01 else ""]


# -- the size of the result -------------------------------------------------------------------


def sized(*, short: bool) -> Iterator[tuple[Cell, int]]:
    """Yield problems with several minimal sets, or groups, and their least result."""
    seeds = 1 if short else 10
    for n, *sizes in (
        *((128, 2, 6, 18), (128, 5, 5, 5, 5, 5), (300, 3, 12)),
        *((300, 2, *(10,) * 6), (1_000, 4, 8, 16, 32)),
    ):
        for name, together in (("sets", False), ("blocks", True)):
            label = f"{name} of {', '.join(map(str, sizes))}, N={n:,}"
            yield Cell(label, alternatives(n, *sizes, together=together), n, seeds), min(sizes)
    for shared, *sizes in ((1, 2, 12), (3, 2, 6, 18)):
        label = f"sets of {', '.join(map(str, sizes))}, {shared} shared, N=300"
        problem = alternatives(300, *sizes, shared=shared)
        yield Cell(label, problem, 300, seeds), shared + min(sizes)
    far = either(placed(300, 280, 281), placed(300, 0, 20))
    yield Cell("one at the end or 20 at the front, N=300", far, 300, 1), 1
    for size in (2, 3, 4, 5, 7):
        cell = Cell(f"60 groups of {size}, 1 wanted", groups(60 * size, 1, size), 60 * size, seeds)
        yield cell, size
    for count, longest, wanted in ((100, 6, 3), (30, 6, 3), (100, 4, 3), (30, 4, 3), (100, 6, 30)):
        label = f"{count} records of 2 to {longest}, {wanted} wanted"
        cell = Cell(label, records(count, 2, longest, wanted), count * longest, seeds)
        yield cell, wanted * (2 + longest) // 2


def size_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield `auto`'s mean queries, and the mean elements that each leaves over the optimum."""
    for cell, optimum in sized(short=short):
        found = [costs.of_auto(cell), *(costs.of(cell, name, OTHERS[name]) for name in SIZED)]
        queries = f"{found[0].queries:,.0f}"
        yield [cell.label, f"{optimum}", queries, *(f"{each.left - optimum:.1f}" for each in found)]


# -- `auto` without one of its parts each --------------------------------------------------------

#: The heads of the columns, and what starts each.
ABLATIONS: dict[str, Start] = {
    "from the end only": from_the_end,
    "from the front only": forward,
    "no skips": without_leaps,
    "one predictor": without_mixture,
    "no floor": without_floor,
}


def ablated(*, short: bool) -> Iterator[Cell]:
    """Yield some problems of each kind."""
    n, seeds = 1_000, 1 if short else 2
    for m in (10, 100, 300, 600, 900):
        yield Cell(f"scattered, M={m}", scattered(n, m), n, seeds)
    for size in (3, 10, 50):
        yield Cell(f"clusters of {size}, M=300", clustered(n, 300, size), n, seeds)
    yield Cell("prefix, M=100", placed(n, 0, 100), n, 1)
    yield Cell("suffix, M=100", placed(n, n - 100, n), n, 1)
    n = 300
    yield Cell("forest, 5 wanted", forest(n, 5), n, seeds)
    yield Cell("uses first, 5 wanted", mirrored(forest(n, 5)), n, seeds)
    yield Cell("suffix, at least 128", suffix(256, 128), 256, 1)
    yield Cell("pairs, 3 wanted", groups(n, 3, 2), n, seeds)
    yield Cell("noise 50%", noisy(n, 10, 0.5), n, seeds)


def ablation_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield a row for each problem: queries, and in brackets what is left if that differs."""
    for cell in ablated(short=short):
        ours = costs.of_auto(cell)
        row = [cell.label, f"{ours.queries:,.0f}"]
        for name, start in ABLATIONS.items():
            each = costs.of(cell, f"auto, {name}", start)
            left = "" if round(each.left) == round(ours.left) else f" ({each.left:,.0f} left)"
            row.append(f"{each.queries:,.0f}{left}")
        yield row


# -- ratios of queries that the sources claim -----------------------------------------------------

SHARES = (0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 0.99)
CLAIMED = (
    *(("adaptive", "ddmin"), ("adaptive", "linear"), ("cdd", "probdd"), ("cdd", "ddmin")),
    *(("cdd-artifact", "cdd"), ("lithium", "ddmin")),
)


def claim_rows(costs: Costs, *, short: bool) -> Iterator[Row]:
    """Yield a row for each pair of algorithms."""
    n, seeds = 300, 2 if short else 10
    counts = [max(1, round(n * share)) for share in SHARES]
    cells = [Cell(f"claims, N={n}, M={m}", scattered(n, m), n, seeds) for m in counts]
    for pair in CLAIMED:
        asked = [[costs.of(cell, name, OTHERS[name]).queries for cell in cells] for name in pair]
        yield [" / ".join(pair), *(f"{a / b:.2f}" for a, b in zip(*asked, strict=True))]


#: All that end soon on such lists.
SIZED = tuple(name for name in NAMES if name not in MAX_ELEMENTS)

#: The columns and the rows of each table.
TABLES = {
    "scattered": (f"scattered | {_TO_THE_OTHERS} | to the benchmark", scattered_rows),
    "clustered": (
        f"clustered | {_TO_THE_OTHERS} | to 2M + log2 C(N-M+1, C) | to the bound",
        clustered_rows,
    ),
    "placed": (f"one block | {_TO_THE_OTHERS}", placed_rows),
    "dependent": (
        "not monotone | auto | left | best other | left | ratio | best that leaves no more | left "
        "| ratio",
        dependent_rows,
    ),
    "sizes": (
        " | ".join(["left over the optimum", "optimum", "queries of auto", "auto", *SIZED]),
        size_rows,
    ),
    "direction": (
        "order | best from the front | best from either end | auto | auto / front | of it the end",
        direction_rows,
    ),
    "ablations": (" | ".join(["without a part", "auto", *ABLATIONS]), ablation_rows),
    "claims": (
        " | ".join(["N=300, scattered", *(f"{share:.0%}" for share in SHARES)]),
        claim_rows,
    ),
}


def table_of(name: str, costs: Costs, *, short: bool) -> Table:
    """Return a table, whose rows are measured as they are read."""
    columns, rows = TABLES[name]
    return Table(columns, rows(costs, short=short))


def experiment(
    table: Sequence[str] = tuple(TABLES),
    *,
    short: bool = False,
    again: Sequence[str] = (),
    plot: Path | None = None,
) -> Iterator[Table]:
    costs = Costs(None if short else RECORD / "limits.csv", again)
    if plot:
        draw(costs, plot)
        return
    yield from (table_of(name, costs, short=short) for name in table)


def draw(costs: Costs, path: Path) -> None:
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
        ticks, shares = [1, 1.5, 2, 3, 5, 10, 20, 50, 100], [0.001, 0.01, 0.1, 0.38, 1]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks(shares, [f"{share:.3g}" for share in shares])
        axes.legend(frameon=False)
