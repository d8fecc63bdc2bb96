"""`auto` without one of its parts each."""

from __future__ import annotations

from collections.abc import Iterator

from limit_costs import Cell, Costs
from nubbin_bench.auto_ablations import (
    Start,
    forward,
    from_the_end,
    without_floor,
    without_leaps,
    without_mixture,
)
from nubbin_bench.lists import clustered, forest, groups, mirrored, noisy, placed, scattered, suffix
from nubbin_bench.markdown import print_table

#: The heads of the columns, and what starts each.
ABLATIONS: dict[str, Start] = {
    "from the end only": from_the_end,
    "from the front only": forward,
    "no leaps": without_leaps,
    "one predictor": without_mixture,
    "no floor": without_floor,
}


def cells(*, short: bool) -> Iterator[Cell]:
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


def rows(costs: Costs, *, short: bool) -> Iterator[list[str]]:
    """Yield a row for each problem: queries, and in brackets what is left if that differs."""
    for cell in cells(short=short):
        ours = costs.of_auto(cell)
        row = [cell.label, f"{ours.queries:,.0f}"]
        for name, start in ABLATIONS.items():
            each = costs.of(cell, f"auto, {name}", start)
            left = "" if round(each.left) == round(ours.left) else f" ({each.left:,.0f} left)"
            row.append(f"{each.queries:,.0f}{left}")
        yield row


def print_ablations(costs: Costs, *, short: bool) -> None:
    """Print the table."""
    print_table(["without a part", "auto", *ABLATIONS], rows(costs, short=short))
