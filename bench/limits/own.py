"""What else `auto` and the others do, by simulation: many lists, weights, prices, own time.

    bench/run.py limits/own [--short] [TABLE ...]

Makes three tables of record/limits.md: *lists*, what one list teaches the next; *weights*, how
early the heavy elements of a list are removed; and *prices*, what it is worth to ask for more or
for less where the price of a query depends on its answer. *seconds*, in record/results.md, is each
algorithm's own time on a million elements, without the test's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean

import numpy as np
import numpy.typing as npt

from harness.experiment import Table
from nubbin_bench.lists import Indices, Interesting, Problem, clustered, drive, holds, scattered
from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset, learned
from nubbin_core.minimizers.bayesian.belief import fair_chance

Floats = npt.NDArray[np.float64]


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


def lists(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each length and density of many short lists, as the levels of a tree are."""
    count = 100 if short else 1_000
    for n in (5, 20, 100):
        for density in (0.02, 0.05, 0.2, 0.5):
            fresh = mean_of_lists(n, density, count, carried=False)
            carried = mean_of_lists(n, density, count, carried=True)
            bits = -density * math.log2(density) - (1 - density) * math.log2(1 - density)
            figures = fresh, carried, n * (bits + density)
            yield [f"N={n}, {density:.0%} essential", *(f"{each:.2f}" for each in figures)]


def weighted(n: int, m: int, size: int) -> Callable[[int], tuple[Floats, Indices]]:
    """Return a function of a seed: the weights of N elements, and M essential ones in clusters."""

    def make(seed: int) -> tuple[Floats, Indices]:
        rng = np.random.default_rng(seed)
        starts = rng.choice(n // size, m // size, replace=False) * size
        return rng.lognormal(0, 2, n), np.sort((starts[:, None] + np.arange(size)).ravel())

    return make


def milestones(name: str, weights: Floats, essential: Indices) -> tuple[int, int, int]:
    """Return the queries until half, 90 % and all of the weight that can be removed is."""
    state = ALGORITHMS[name](Subset.full(len(weights)), Settings(weights=weights.tolist()))
    least, most = weights[essential].sum(), weights.sum()
    passed, asked = [0, 0], 0
    while wave := state.ask():
        asked += len(wave)
        state = state.tell(tuple(holds(query.kept, essential) for query in wave))
        left = (weights[list(state.kept)].sum() - least) / (most - least)
        passed = [p or asked * (left <= 1 - s) for p, s in zip(passed, (0.5, 0.9), strict=True)]
    return passed[0], passed[1], asked


def weights(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each placement of the essential elements."""
    for label, make in (
        ("scattered, M=30", weighted(1_000, 30, 1)),
        ("scattered, M=100", weighted(1_000, 100, 1)),
        ("clusters of 10, M=100", weighted(1_000, 100, 10)),
    ):
        row = [f"N=1,000, {label}"]
        for name in ("auto", "heavy-first"):
            runs = [milestones(name, *make(seed)) for seed in range(3 if short else 20)]
            row += [f"{fmean(column):.0f}" for column in zip(*runs, strict=True)]
        yield row


#: The prices of a query that is accepted, over that of one that is refused.
PRICES = (30, 3, 1, 1 / 3, 1 / 30)


def answers(start: Minimizer, interesting: Interesting) -> tuple[int, int]:
    """Return how many different queries are accepted and refused."""
    asked: dict[int, bool] = {}

    def counted(kept: Subset) -> bool:
        asked[kept.digest] = interesting(kept)
        return asked[kept.digest]

    drive(start, counted)
    return sum(asked.values()), len(asked) - sum(asked.values())


def cost(problem: Problem, seed: int, price: float, declared: float) -> float:
    """Return what `auto` costs, in rejected queries, if told that a price is `declared`."""
    n, interesting = problem(np.random.default_rng(seed))
    settings = Settings(price=declared)
    accepted, refused = answers(ALGORITHMS["auto"](Subset.full(n), settings), interesting)
    return price * accepted + refused


def prices(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each problem and each pair of prices."""
    n, seeds = 1_000, range(1 if short else 5)
    problems = {
        "M=10": scattered(n, 10),
        "M=100": scattered(n, 100),
        "M=100, clusters of 10": clustered(n, 100, 10),
    }
    for label, problem in problems.items():
        for price in PRICES:
            before, after = (
                fmean(cost(problem, seed, price, declared) for seed in seeds)
                for declared in (1.0, price)
            )
            row = [f"N={n:,}, {label}", f"{price:.3g}", f"{fair_chance(price):.2f}"]
            yield [*row, f"{before:,.0f}", f"{after:,.0f}", f"{after / before:.2f}"]


def own_time(name: str, n: int, m: int) -> tuple[int, float]:
    """Return the queries that an algorithm asks about M of N, scattered, and its own seconds.

    The probabilistic ones are given the true density, as their authors do.
    """
    essential = np.sort(np.random.default_rng(1).choice(n, m, replace=False))
    queries, spent, last = 0, 0.0, time.perf_counter()
    state = ALGORITHMS[name](Subset.full(n), Settings(p0=m / n))
    while wave := state.ask():
        spent += time.perf_counter() - last
        answers = tuple(holds(query.kept, essential) for query in wave)
        queries += len(wave)
        last = time.perf_counter()
        state = state.tell(answers)
    return queries, spent + time.perf_counter() - last


def seconds(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each algorithm that does not ask N M queries or more."""
    for name in sorted(ALGORITHMS.keys() - {"greedy", "exhaustive"}):
        queries, spent = own_time(name, 10_000 if short else 1_000_000, 100)
        yield [name, f"{queries:,}", f"{spent:.2f}", f"{spent / queries * 1e6:.1f}"]


#: The columns and the rows of each table.
TABLES = {
    "seconds": ("algorithm | queries | seconds | µs/query", seconds),
    "lists": ("lists | each on its own | belief carried | entropy + proofs", lists),
    "weights": (
        "log-normal weights (sigma 2) | auto: half | 90 % | all | heavy-first: half | 90 % | all",
        weights,
    ),
    "prices": (
        "prices | price | fair chance | cost of even chances | of fair ones | ratio",
        prices,
    ),
}


def experiment(table: Sequence[str] = tuple(TABLES), *, short: bool = False) -> Iterator[Table]:
    for name in table:
        columns, rows = TABLES[name]
        yield Table(columns, rows(short=short))
