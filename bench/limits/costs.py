"""What a list costs each algorithm, by simulation, and the record of it."""

from __future__ import annotations

import statistics
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nubbin_bench.csv_rows import load, save
from nubbin_bench.lists import Interesting, Problem, drive
from nubbin_bench.studied import STUDIED
from nubbin_core.minimizers import Settings, Start, Subset
from nubbin_core.minimizers.wrappers import Backward

#: The algorithms of nubbin that `auto` is not compared with: itself, itself in another order
#: (heavy-first) and for many workers (waves), and one that proves more (exhaustive).
LEFT_OUT = frozenset({"auto", "exhaustive", "heavy-first", "waves"})
#: All other algorithms.
NAMES = tuple(sorted(STUDIED.keys() - LEFT_OUT))
#: Each of them from the front and, with a minus before its name, from the end.
OTHERS: dict[str, Start] = {
    **{name: STUDIED[name] for name in NAMES},
    **{f"-{name}": Backward.of(STUDIED[name]) for name in NAMES},
}
#: Lists with more elements than this take these algorithms too long.
MAX_ELEMENTS = {
    "greedy": 100,
    **dict.fromkeys(("ddmin", "wdd"), 300),
    "probdd-no-random": 1_000,
    **dict.fromkeys(("linear", "probdd", "progression", "quickxplain"), 10_000),
}


def cost(start: Start, n: int, interesting: Interesting) -> tuple[int, int]:
    """Return how many calls an algorithm makes until its result is proven 1-minimal, and its size.

    `linear` goes on with what is left by one that does not prove it itself.
    """
    known: dict[int, bool] = {}

    def cached(kept: Subset) -> bool:
        if kept.digest not in known:
            known[kept.digest] = interesting(kept)
        return known[kept.digest]

    state, _ = drive(start(Subset.full(n), Settings()), cached)
    state, _ = drive(STUDIED["linear"](state.kept, Settings()), cached)
    return len(known), len(state.kept)


@dataclass(frozen=True, slots=True)
class Cost:
    """The mean queries of an algorithm on a problem, and the mean of the elements left.

    The generator of the problem is seeded with 0 to `seeds` - 1.
    """

    problem: str
    algorithm: str
    seeds: int
    queries: float
    left: float


@dataclass(frozen=True, slots=True)
class Cell:
    """A problem as a row of a table has it: its name, its elements and the seeds it is worth."""

    label: str
    problem: Problem
    n: int
    seeds: int


class Costs:
    """All costs that were measured; those that are in the file are not measured again."""

    def __init__(self, path: Path | None, again: Collection[str] = ()) -> None:
        """Read the file, if there is one; costs of the algorithms in `again` are measured again."""
        self._path = path
        rows = load(path, Cost) if path else ()
        self._rows = {(row.problem, row.algorithm, row.seeds): row for row in rows}
        self._again = {key for key in self._rows if key[1] in again}

    def of(self, cell: Cell, name: str, start: Start) -> Cost:
        """Return the cost of an algorithm."""
        key = cell.label, name, cell.seeds
        if key not in self._rows or key in self._again:
            self._again.discard(key)
            drawn = (cell.problem(np.random.default_rng(seed)) for seed in range(cell.seeds))
            asked, left = zip(*(cost(start, *problem) for problem in drawn), strict=True)
            self._rows[key] = Cost(*key, statistics.fmean(asked), statistics.fmean(left))
            if self._path:
                rows = sorted(self._rows.values(), key=lambda row: (row.problem, row.algorithm))
                save(self._path, Cost, rows)
        return self._rows[key]

    def of_auto(self, cell: Cell) -> Cost:
        """Return the cost of `auto`."""
        return self.of(cell, "auto", STUDIED["auto"])

    def of_others(self, cell: Cell) -> list[Cost]:
        """Return the costs of the others that are fast enough for the list, the least one first.

        Of equals, the first is the one that leaves least.
        """
        feasible = {
            name: start
            for name, start in OTHERS.items()
            if cell.n <= MAX_ELEMENTS.get(name.removeprefix("-"), cell.n)
        }
        costs = [self.of(cell, name, start) for name, start in feasible.items()]
        return sorted(costs, key=lambda each: (each.queries, each.left, each.algorithm))
