"""What it is worth to ask for more or for less where the price of a query depends on its answer."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np

from nubbin.minimizers import ALGORITHMS, Minimizer, Settings, Subset
from nubbin.minimizers.bayesian.belief import fair_chance
from nubbin_bench.lists import Interesting, Problem, clustered, drive, scattered
from nubbin_bench.markdown import print_table

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
    """Return what `auto` costs, in refused queries, if told that a price is `declared`."""
    n, interesting = problem(np.random.default_rng(seed))
    settings = Settings(price=declared)
    accepted, refused = answers(ALGORITHMS["auto"](Subset.full(n), settings), interesting)
    return price * accepted + refused


def rows(*, short: bool) -> Iterator[list[str]]:
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
                statistics.fmean(cost(problem, seed, price, declared) for seed in seeds)
                for declared in (1.0, price)
            )
            row = [f"N={n:,}, {label}", f"{price:.3g}", f"{fair_chance(price):.2f}"]
            yield [*row, f"{before:,.0f}", f"{after:,.0f}", f"{after / before:.2f}"]


def print_prices(*, short: bool) -> None:
    """Print the table."""
    head = ["prices", "price", "fair chance", "cost of even tosses", "of fair ones"]
    print_table([*head, "ratio"], rows(short=short))
