"""Ratios of queries that the sources claim."""

from __future__ import annotations

from collections.abc import Iterator

from limit_costs import OTHERS, Cell, Costs
from nubbin_bench.lists import scattered
from nubbin_bench.markdown import print_table

SHARES = (0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 0.99)
CLAIMED = (
    ("adaptive", "ddmin"),
    ("adaptive", "linear"),
    ("cdd", "probdd"),
    ("cdd", "ddmin"),
    ("cdd-artifact", "cdd"),
    ("lithium", "ddmin"),
)


def rows(costs: Costs, *, short: bool) -> Iterator[list[str]]:
    """Yield a row for each pair of algorithms."""
    n, seeds = 300, 2 if short else 10
    counts = [max(1, round(n * share)) for share in SHARES]
    cells = [Cell(f"claims, N={n}, M={m}", scattered(n, m), n, seeds) for m in counts]
    for one, other in CLAIMED:
        asked = [
            [costs.of(cell, name, OTHERS[name]).queries for cell in cells] for name in (one, other)
        ]
        yield [f"{one} / {other}", *(f"{a / b:.2f}" for a, b in zip(*asked, strict=True))]


def print_claims(costs: Costs, *, short: bool) -> None:
    """Print the table."""
    print_table(
        ["N=300, scattered", *(f"{share:.0%}" for share in SHARES)], rows(costs, short=short)
    )
