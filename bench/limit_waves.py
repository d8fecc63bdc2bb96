"""The simulated speed of `waves` on many workers."""

from __future__ import annotations

import heapq
import math
import statistics
from collections.abc import Iterator

import numpy as np

from nubbin.minimizers import ALGORITHMS, Settings, Subset
from nubbin_bench.lists import scattered
from nubbin_bench.markdown import print_table


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


def rows(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each number of workers."""
    seeds = range(2 if short else 5)
    alone = statistics.fmean(clock("auto", 1, seed)[0] for seed in seeds)
    fewest = statistics.fmean(clock("auto", 1, seed)[1] for seed in seeds)
    for workers in (1, 2, 4, 8, 16, 64, 256):
        runs = [clock("waves", workers, seed) for seed in seeds]
        speed = alone / statistics.fmean(seconds for seconds, _ in runs)
        share = statistics.fmean(asked for _, asked in runs) / fewest
        yield [f"{workers}", f"{speed:.1f}", f"{speed / workers:.2f}", f"{share:.2f}"]


def print_waves(*, short: bool) -> None:
    """Print the table."""
    head = ["workers", "times as fast as auto alone", "a worker", "queries to auto's"]
    print_table(head, rows(short=short))
