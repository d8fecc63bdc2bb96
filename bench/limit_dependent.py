"""Problems that are not monotone, and hostile ones among them."""

from __future__ import annotations

from collections.abc import Iterator

from hostile import WORST
from limit_costs import Cell, Costs
from nubbin_bench.lists import brackets, forest, groups, interval, mirrored, noisy, prefix, suffix
from nubbin_bench.markdown import print_table


def cells(*, short: bool) -> Iterator[Cell]:
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


def rows(costs: Costs, *, short: bool) -> Iterator[list[str]]:
    """Yield for each problem `auto`, the best other, and the best that leaves no more."""
    for cell in cells(short=short):
        ours, others = costs.of_auto(cell), costs.of_others(cell)
        row = [cell.label, f"{ours.queries:,.0f}", f"{ours.left:,.0f}"]
        for best in (others[0], next((o for o in others if o.left <= ours.left), ours)):
            row += [f"{best.queries:,.0f} ({best.algorithm})", f"{best.left:,.0f}"]
            row += [f"{ours.queries / best.queries:.2f}"]
        yield row


def print_dependent(costs: Costs, *, short: bool) -> None:
    """Print the table."""
    head = ["not monotone", "auto", "left", "best other", "left", "ratio"]
    head += ["best that leaves no more", "left", "ratio"]
    print_table(head, rows(costs, short=short))
