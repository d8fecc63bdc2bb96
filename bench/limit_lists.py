"""What one list teaches the next, and how early the heavy elements of a list go."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from nubbin.minimizers import ALGORITHMS, Settings, Subset, learned
from nubbin_bench.lists import Indices, drive, holds
from nubbin_bench.markdown import print_table

Floats = npt.NDArray[np.float64]


# -- many lists ----------------------------------------------------------------------


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


def lists_rows(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each length and density."""
    count = 100 if short else 1_000
    for n in (5, 20, 100):
        for density in (0.02, 0.05, 0.2, 0.5):
            fresh = mean_of_lists(n, density, count, carried=False)
            carried = mean_of_lists(n, density, count, carried=True)
            bits = -density * math.log2(density) - (1 - density) * math.log2(1 - density)
            figures = fresh, carried, n * (bits + density)
            yield [f"N={n}, {density:.0%} essential", *(f"{each:.2f}" for each in figures)]


def print_lists(*, short: bool) -> None:
    """Print the table of many short lists, as the levels of a tree are."""
    head = ["lists", "each on its own", "belief carried", "entropy + proofs"]
    print_table(head, lists_rows(short=short))


# -- weights -------------------------------------------------------------------------


def weighted(n: int, m: int, size: int) -> Callable[[int], tuple[Floats, Indices]]:
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


def weights_rows(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each placement of the essential elements."""
    for label, make in (
        ("scattered, M=30", weighted(1_000, 30, 1)),
        ("scattered, M=100", weighted(1_000, 100, 1)),
        ("clusters of 10, M=100", weighted(1_000, 100, 10)),
    ):
        row = [f"N=1,000, {label}"]
        for name in ("auto", "heavy-first"):
            runs = [milestones(name, *make(seed)) for seed in range(3 if short else 20)]
            row += [f"{statistics.fmean(column):.0f}" for column in zip(*runs, strict=True)]
        yield row


def print_weights(*, short: bool) -> None:
    """Print the table of elements of very different weights."""
    head = ["log-normal weights (sigma 2)", "auto: half", "90 %", "all"]
    print_table([*head, "heavy-first: half", "90 %", "all"], weights_rows(short=short))
