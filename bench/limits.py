#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Queries of every algorithm against the lower bounds of list minimisation, by simulation.

    bench/limits.py [--short] [--plot FILE] [TABLE ...]

Prints the tables of docs/limits.md. Every count is of real calls: verdicts are cached, and at the
end every single removal from the result has been asked (`linear` follows the algorithms that do not
do so themselves). Seeds are fixed.
"""

from __future__ import annotations

import heapq
import math
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

import command_line
from nubbin.bench.lists import (
    Indices,
    Interesting,
    Problem,
    brackets,
    clustered,
    drive,
    forest,
    holds,
    mirrored,
    noisy,
    pairs,
    placed,
    prefix,
    scattered,
    suffix,
)
from nubbin.bench.markdown import print_table
from nubbin.bench.plots import drawing
from nubbin.minimizers import ALGORITHMS, Minimizer, Settings, Subset, learned
from nubbin.minimizers.backward import Backward

Floats = npt.NDArray[np.float64]

#: The other shipped algorithms, but for those that are `auto` in another order (heavy-first, waves)
#: or prove more (exhaustive). Each goes from the front, and, with a minus, from the end.
NAMES = (
    *("adaptive", "bisect", "cdd", "ddmin", "greedy", "linear", "lithium", "opdd", "probdd"),
    *("probdd-no-random", "wdd"),
)
OTHERS = tuple(sign + name for name in NAMES for sign in ("", "-"))
#: Lists with more elements than this take these algorithms too long.
MAX_ELEMENTS = {
    "greedy": 100,
    **dict.fromkeys(("ddmin", "wdd"), 1_000),
    **dict.fromkeys(("linear", "probdd", "probdd-no-random"), 10_000),
}


# -- measuring -----------------------------------------------------------------------


def started(name: str, n: int) -> Minimizer:
    """Start an algorithm on a list; from the end if there is a minus before its name."""
    start = ALGORITHMS[name.removeprefix("-")]
    if name.startswith("-"):
        start = Backward.of(start)
    return start(Subset.full(n), Settings())


def cost(name: str, n: int, interesting: Interesting) -> tuple[int, int]:
    """Return how many calls an algorithm makes until its result is proven 1-minimal, and its size.

    `linear` goes on with what is left by one that does not prove it itself.
    """
    known: dict[int, bool] = {}

    def cached(kept: Subset) -> bool:
        if kept.digest not in known:
            known[kept.digest] = interesting(kept)
        return known[kept.digest]

    state, _ = drive(started(name, n), cached)
    state, _ = drive(ALGORITHMS["linear"](state.kept, Settings()), cached)
    return len(known), len(state.kept)


def means(name: str, problem: Problem, runs: int) -> tuple[float, float]:
    """Return the mean number of queries, and of elements left, over the seeds 0 to `runs` - 1."""
    costs = [cost(name, *problem(np.random.default_rng(seed))) for seed in range(runs)]
    asked, left = zip(*costs, strict=True)
    return statistics.fmean(asked), statistics.fmean(left)


def mean(name: str, problem: Problem, runs: int) -> float:
    """Return the mean number of queries."""
    return means(name, problem, runs)[0]


def log2_choose(n: int, m: int) -> float:
    """Return the logarithm of the number of sets of M among N."""
    return (math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)) / math.log(2)


def bound(n: int, m: int) -> float:
    """Return the bits that identify M of N, and M proofs; from M = 0.38 N on, N + M."""
    return log2_choose(n, m) + m if m / n <= 0.38 else n + m


def runs_for(n: int, m: int, short: bool) -> int:
    """Return the number of runs that a cell of a table is worth."""
    return max(1, min(40, 40_000 // (m * 8 + n // 50 + 40)) // (8 if short else 1))


# -- tables --------------------------------------------------------------------------


def best_other(problem: Problem, n: int, runs: int) -> tuple[float, float, str]:
    """Return the fewest queries of all other algorithms that are feasible, what is left, and whose.

    Of equals it is the one that leaves least.
    """
    feasible = [o for o in OTHERS if n <= MAX_ELEMENTS.get(o.removeprefix("-"), n)]
    return min((*means(name, problem, runs), name) for name in feasible)


def versus(label: str, problem: Problem, n: int, runs: int, limit: float | None) -> list[str]:
    """Return a row: `auto`, the best of the others, their ratio, and the ratio to the bound."""
    ours = mean("auto", problem, runs)
    best, _, name = best_other(problem, n, runs)
    row = [label, f"{ours:,.0f}", f"{best:,.0f} ({name})", f"{ours / best:.2f}"]
    return [*row, f"{ours / limit:.3f}"] if limit else row


def versus_left(label: str, problem: Problem, n: int, runs: int) -> list[str]:
    """Return a row of a problem that is not monotone: also how many elements are left."""
    ours, left = means("auto", problem, runs)
    best, least, name = best_other(problem, n, runs)
    return [
        *(label, f"{ours:,.0f}", f"{left:,.0f}", f"{best:,.0f} ({name})", f"{least:,.0f}"),
        f"{ours / best:.2f}",
    ]


def table_scattered(short: bool) -> None:
    """Scattered essential elements, against the bound."""
    rows = []
    for n in (100, 1_000, 10_000) if short else (100, 1_000, 10_000, 100_000, 1_000_000):
        shares = (0.001, 0.01, 0.03, 0.1, 0.3, 0.38, 0.6, 0.9, 0.99)
        for m in sorted({1, *(round(n * share) for share in shares)} - {0}):
            if m > 30_000 or (short and m > 1_000):
                continue
            runs, limit = runs_for(n, m, short), bound(n, m)
            label = f"N={n:,}, M={m:,}"
            if n * m > 100_000_000 or n == 1_000_000:
                ours = mean("auto", scattered(n, m), runs)
                rows.append([label, f"{ours:,.0f}", "", "", f"{ours / limit:.3f}"])
            else:
                rows.append(versus(label, scattered(n, m), n, runs, limit))
    print_table(["scattered", "auto", "best other", "ratio", "to the bound"], rows)


def table_clustered(short: bool) -> None:
    """Essential elements in clusters, against the benchmark."""
    rows = []
    for n in (1_000,) if short else (1_000, 10_000):
        for m in (n // 10, 3 * n // 10):
            for size in (3, 10, 50):
                clusters = m // size
                limit = 2 * m + log2_choose(n - m + 1, clusters)
                label = f"N={n:,}, M={m:,}, clusters of {size}"
                runs = runs_for(n, m, short)
                rows.append(versus(label, clustered(n, m, size), n, runs, limit))
    print_table(["clustered", "auto", "best other", "ratio", "to 2M + log2 C(N-M+1, C)"], rows)


def table_placed(short: bool) -> None:
    """One block of essential elements, at either end or in the middle."""
    rows = []
    for n in (100, 1_000) if short else (100, 1_000, 10_000):
        for m in (n // 100, n // 10, n // 2):
            for label, start in (("prefix", 0), ("middle", (n - m) // 2), ("suffix", n - m)):
                problem = placed(n, start, start + m)
                rows.append(versus(f"{label}, N={n:,}, M={m:,}", problem, n, 1, None))
    print_table(["one block", "auto", "best other", "ratio"], rows)


def table_dependent(short: bool) -> None:
    """Problems that are not monotone."""
    runs, n = 1 if short else 2, 300
    cells = [(f"forest, {k} wanted", forest(n, k)) for k in (1, 5, 20)]
    cells += [(f"uses first, {k} wanted", mirrored(forest(n, k))) for k in (1, 5, 20)]
    cells += [
        (f"{name}, at least {least}", make(256, least))
        for name, make in (("suffix", suffix), ("prefix", prefix))
        for least in (1, 128)
    ]
    cells += [("pairs, 3 wanted", pairs(n, 3))]
    cells += [(f"noise {rate:.0%}", noisy(n, 10, rate)) for rate in (0.1, 0.3, 0.5, 0.8)]
    cells += [("brackets, 3 wanted", brackets(n, 3))]
    rows = [versus_left(label, problem, n, runs) for label, problem in cells]
    print_table(["not monotone", "auto", "left", "best other", "left", "ratio"], rows)


def table_claims(short: bool) -> None:
    """Ratios that the sources claim."""
    n, runs = 300, 2 if short else 10
    shares = (0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 0.99)
    counts = {
        name: [mean(name, scattered(n, max(1, round(n * s))), runs) for s in shares]
        for name in ("adaptive", "ddmin", "linear", "cdd", "probdd", "lithium")
    }
    rows = []
    for one, other in (
        ("adaptive", "ddmin"),
        ("adaptive", "linear"),
        ("cdd", "probdd"),
        ("cdd", "ddmin"),
        ("lithium", "ddmin"),
    ):
        ratios = [a / b for a, b in zip(counts[one], counts[other], strict=True)]
        rows.append([f"{one} / {other}", *(f"{ratio:.2f}" for ratio in ratios)])
    print_table(["N=300, scattered", *(f"{share:.0%}" for share in shares)], rows)


def clock(name: str, workers: int, seed: int) -> tuple[float, int]:
    """Return the simulated seconds and the queries of one run on `workers` workers.

    Every query takes a log-normal time around 50 ms and goes to the worker that is free first. A
    wave starts when the wave before it is answered, except that the wave after a merge runs beside
    it, as speculation would have it.
    """
    rng = np.random.default_rng(seed)
    n, interesting = scattered(10_000, 300)(rng)
    state, now, asked = ALGORITHMS[name](Subset.full(n), Settings()), 0.0, 0
    free = [now] * workers
    while wave := state.ask():
        for latency in rng.lognormal(math.log(0.05), 0.5, len(wave)).tolist():
            heapq.heapreplace(free, free[0] + latency)
        asked += len(wave)
        answers = tuple(interesting(query.kept) for query in wave)
        if not (wave[0].kind == "merge" and answers[0]):
            now = max(free)
            free = [now] * workers
        state = state.tell(answers)
    return max(free), asked


def table_waves(short: bool) -> None:
    """Simulated speed of `waves` on many workers."""
    seeds = range(2 if short else 5)
    alone = statistics.fmean(clock("auto", 1, seed)[0] for seed in seeds)
    fewest = statistics.fmean(clock("auto", 1, seed)[1] for seed in seeds)
    rows = []
    for workers in (1, 2, 4, 8, 16, 64, 256):
        runs = [clock("waves", workers, seed) for seed in seeds]
        speed = alone / statistics.fmean(seconds for seconds, _ in runs)
        share = statistics.fmean(asked for _, asked in runs) / fewest
        rows.append([f"{workers}", f"{speed:.1f}", f"{speed / workers:.2f}", f"{share:.2f}"])
    print_table(["workers", "times as fast as auto alone", "a worker", "queries to auto's"], rows)


def table_lists(short: bool) -> None:
    """Many short lists, as the levels of a tree are: what each teaches the next."""
    rows = []
    count = 100 if short else 1_000
    for n in (5, 20, 100):
        for density in (0.02, 0.05, 0.2, 0.5):
            fresh = mean_of_lists(n, density, count, carried=False)
            carried = mean_of_lists(n, density, count, carried=True)
            bits = -density * math.log2(density) - (1 - density) * math.log2(1 - density)
            floor = n * (bits + density)
            label = f"N={n}, {density:.0%} essential"
            rows.append([label, *(f"{each:.2f}" for each in (fresh, carried, floor))])
    print_table(["lists", "each on its own", "belief carried", "entropy + proofs"], rows)


def mean_of_lists(n: int, density: float, count: int, *, carried: bool) -> float:
    """Return the mean queries of `auto` per list; `carried` tells whether belief is."""
    rng = np.random.default_rng(1)
    asked, belief = 0, None
    for _ in range(count):
        essential = np.flatnonzero(rng.random(n) < density)
        settings = Settings(belief=belief if carried else None, alone=False)
        state = ALGORITHMS["auto"](Subset.full(n), settings)
        state, queries = drive(state, partial(holds, essential=essential))
        asked, belief = asked + queries, learned(state)
    return asked / count


def table_weights(short: bool) -> None:
    """Elements of very different weights: queries until half and 90 % of what can go is gone."""
    rows = []
    for label, make in (
        ("scattered, M=30", scattered_of(1_000, 30, 1)),
        ("scattered, M=100", scattered_of(1_000, 100, 1)),
        ("clusters of 10, M=100", scattered_of(1_000, 100, 10)),
    ):
        row = [f"N=1,000, {label}"]
        for name in ("auto", "heavy-first"):
            runs = [milestones(name, *make(seed)) for seed in range(3 if short else 20)]
            row += [f"{statistics.fmean(column):.0f}" for column in zip(*runs, strict=True)]
        rows.append(row)
    head = ["log-normal weights (sigma 2)", "auto: half", "90 %", "all"]
    print_table([*head, "heavy-first: half", "90 %", "all"], rows)


def scattered_of(n: int, m: int, size: int) -> Callable[[int], tuple[Floats, Indices]]:
    """Return a function of a seed: the weights of N elements, and M essential ones in clusters."""

    def make(seed: int) -> tuple[Floats, Indices]:
        rng = np.random.default_rng(seed)
        starts = rng.choice(n // size, m // size, replace=False) * size
        return rng.lognormal(0, 2, n), np.sort((starts[:, None] + np.arange(size)).ravel())

    return make


def milestones(name: str, weights: Floats, essential: Indices) -> tuple[int, int, int]:
    """Return the queries until half, 90 % and all of the weight that can go is gone."""
    state = ALGORITHMS[name](Subset.full(len(weights)), Settings(weights=weights.tolist()))
    least, most = weights[essential].sum(), weights.sum()
    passed, asked = [0, 0], 0
    while wave := state.ask():
        asked += len(wave)
        state = state.tell(tuple(holds(query.kept, essential) for query in wave))
        left = (weights[state.kept.indices].sum() - least) / (most - least)
        passed = [p or asked * (left <= 1 - s) for p, s in zip(passed, (0.5, 0.9), strict=True)]
    return passed[0], passed[1], asked


# -- the plot ------------------------------------------------------------------------


def plot(path: Path) -> None:
    """Draw queries over the bound against the density, for some algorithms, as an SVG."""
    n, runs = 1_000, 5
    densities = (1, 3, 10, 30, 60, 100, 170, 300, 380, 500, 600, 750, 900, 970, 990)
    with drawing(path, 7, 4, salt="limits", style={}) as figure:
        axes = figure.subplots()
        for name in ("auto", "adaptive", "lithium", "cdd", "probdd", "linear"):
            ratios = [mean(name, scattered(n, m), runs) / bound(n, m) for m in densities]
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


TABLES = {
    "scattered": table_scattered,
    "clustered": table_clustered,
    "placed": table_placed,
    "dependent": table_dependent,
    "claims": table_claims,
    "waves": table_waves,
    "lists": table_lists,
    "weights": table_weights,
}


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("table", nargs="*", help=f"some of {', '.join(TABLES)} (all)")
    parser.add_argument("--short", action="store_true", help="fewer and smaller cells: a minute")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the scattered case")
    options = parser.parse_args()
    if options.plot:
        plot(options.plot)
    for name in options.table or ([] if options.plot else TABLES):
        TABLES[name](options.short)
        print()


if __name__ == "__main__":
    main()
