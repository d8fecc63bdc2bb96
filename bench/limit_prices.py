"""What it is worth to ask for more or for less where the price of a query depends on its answer."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from unittest.mock import patch

import numpy as np

from nubbin.minimizers import ALGORITHMS, Settings, Subset
from nubbin.minimizers.bayesian import belief
from nubbin_bench.lists import Problem, clustered, scattered
from nubbin_bench.markdown import print_table

#: The prices of a query that is accepted and of one that is refused.
PRICES = ((30, 1), (3, 1), (1, 1), (1, 3), (1, 30))


def best_chance(accepted: float, refused: float) -> float:
    """Return the chance of success at which a question tells most bits for its mean price."""

    def bits_for_price(chance: float) -> float:
        entropy = -chance * math.log2(chance) - (1 - chance) * math.log2(1 - chance)
        return entropy / (chance * accepted + (1 - chance) * refused)

    return max((k / 1000 for k in range(1, 1000)), key=bits_for_price)


def answers(problem: Problem, chance: float, seed: int) -> tuple[int, int]:
    """Return how many queries of `auto` are accepted and refused, with tosses of this chance."""
    n, interesting = problem(np.random.default_rng(seed))
    width = 0.2 * min(chance, 1 - chance)
    fair = np.array([chance + width, chance, chance - width])
    counts = [0, 0]
    with patch.object(belief, "_FAIR", fair):
        state = ALGORITHMS["auto"](Subset.full(n), Settings())
        while wave := state.ask():
            answer = interesting(wave[0].kept)
            counts[not answer] += 1
            state = state.tell((answer,))
    return counts[0], counts[1]


def rows(*, short: bool) -> Iterator[list[str]]:
    """Yield a row for each problem and each pair of prices."""
    n, seeds = 1_000, range(1 if short else 5)
    problems = {
        "M=10": scattered(n, 10),
        "M=100": scattered(n, 100),
        "M=100, clusters of 10": clustered(n, 100, 10),
    }
    for label, problem in problems.items():
        even = [answers(problem, 0.5, seed) for seed in seeds]
        for accepted, refused in PRICES:
            chance = best_chance(accepted, refused)
            priced = [answers(problem, chance, seed) for seed in seeds]
            before, after = (
                statistics.fmean(accepted * yes + refused * no for yes, no in counts)
                for counts in (even, priced)
            )
            row = [f"N={n:,}, {label}", f"{accepted} : {refused}", f"{chance:.2f}"]
            yield [*row, f"{before:,.0f}", f"{after:,.0f}", f"{after / before:.2f}"]


def print_prices(*, short: bool) -> None:
    """Print the table."""
    head = ["prices", "accepted : refused", "chance", "cost of even tosses", "with the chance"]
    print_table([*head, "ratio"], rows(short=short))
