"""Each algorithm's own time on a million elements of which a hundred, scattered, are essential.

    bench/run.py scale/million [ALGORITHM ...]

Prints a table: queries, seconds in `ask` and `tell`, microseconds per query. The time of the test
is not counted. By default, greedy (N K queries) and exhaustive (N^2) are left out. The
probabilistic ones are given the true density, as their authors do.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from harness.experiment import Table
from nubbin.minimizers import ALGORITHMS, Settings, Subset
from nubbin_bench.lists import holds

ELEMENTS, ESSENTIAL = 1_000_000, 100
QUADRATIC = {"greedy", "exhaustive"}


def measure(name: str) -> tuple[int, float]:
    """Return the queries that an algorithm asks, and the seconds of its own."""
    essential = np.sort(np.random.default_rng(1).choice(ELEMENTS, ESSENTIAL, replace=False))
    everything = Subset.full(ELEMENTS)
    queries, spent, last = 0, 0.0, time.perf_counter()
    state = ALGORITHMS[name](everything, Settings(p0=ESSENTIAL / ELEMENTS))
    while wave := state.ask():
        spent += time.perf_counter() - last
        answers = tuple(holds(query.kept, essential) for query in wave)
        queries += len(wave)
        last = time.perf_counter()
        state = state.tell(answers)
    spent += time.perf_counter() - last
    if not np.array_equal(list(state.kept), essential):
        sys.exit(f"{name} did not end at the essential elements")
    return queries, spent


def experiment(
    algorithm: Sequence[str] = tuple(sorted(set(ALGORITHMS) - QUADRATIC)),
) -> Iterator[Table]:
    yield Table("algorithm | queries | seconds | µs/query", map(row, algorithm))


def row(name: str) -> list[object]:
    """Measure an algorithm; return the cells of its row."""
    queries, seconds = measure(name)
    return [name, queries, f"{seconds:.2f}", f"{seconds / queries * 1e6:.1f}"]
