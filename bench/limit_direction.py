"""How much of the lead of `auto` is the end at which it begins, and how much what it believes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from limit_costs import Cell, Costs
from limit_dependent import cells
from limit_monotone import seeds_for
from nubbin_bench.lists import clustered, scattered
from nubbin_bench.markdown import print_table


def compared(*, short: bool) -> Iterator[Cell]:
    """Yield lists in which the order means nothing, and those in which dependencies have one."""
    n, seeds = 1_000, seeds_for(1_000, 100, short=short)
    yield Cell(f"N={n:,}, M=100", scattered(n, 100), n, seeds)
    yield Cell(f"N={n:,}, M=100, clusters of 10", clustered(n, 100, 10), n, seeds)
    ordered = ("forest", "uses first", "suffix", "prefix")
    yield from (cell for cell in cells(short=short) if cell.label.startswith(ordered))


def rows(costs: Costs, *, short: bool) -> Iterator[list[str]]:
    """Yield for each problem the best from the front, the best from either end, and `auto`."""
    for cell in compared(short=short):
        ours, others = costs.of_auto(cell).queries, costs.of_others(cell)
        front = next(each for each in others if not each.algorithm.startswith("-"))
        row = [cell.label, f"{front.queries:,.0f} ({front.algorithm})"]
        row += [f"{others[0].queries:,.0f} ({others[0].algorithm})", f"{ours:,.0f}"]
        lead = math.log(front.queries / ours)
        end = math.log(front.queries / others[0].queries)
        yield [*row, f"{ours / front.queries:.2f}", f"{end / lead:.0%}" if lead > 0.01 else ""]


def print_direction(costs: Costs, *, short: bool) -> None:
    """Print the table."""
    head = ["order", "best from the front", "best from either end", "auto"]
    head += ["auto / front", "of it the end"]
    print_table(head, rows(costs, short=short))
