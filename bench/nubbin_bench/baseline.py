"""The three algorithms that are called ddmin, on lists with scattered essential elements."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import numpy as np

from nubbin_bench.lists import Interesting, scattered
from nubbin_bench.markdown import table
from nubbin_bench.studied import PROGRAMS, STUDIED
from nubbin_core.minimizers import Settings, Subset

#: Elements, and essential ones among them.
LISTS = ((128, 8), (128, 64), (300, 30), (300, 100))
#: Lists of each kind, with a seed for each.
DRAWS = 8

#: In the table: an algorithm, and whether its repeated questions count.
_COLUMNS = (
    ("ddmin", False),
    ("ddmin-artifact", True),
    ("ddmin-artifact", False),
    ("ddmin-picire", False),
    ("probdd-artifact", True),
    ("cdd-artifact", True),
    ("auto", False),
)


def asked(name: str, n: int, interesting: Interesting) -> tuple[int, int]:
    """Return the questions of an algorithm with p0 0.1: with repeats, and without."""
    state, questions = {**STUDIED, **PROGRAMS}[name](Subset.full(n), Settings()), list[int]()
    while wave := state.ask():
        questions += [query.kept.digest for query in wave]
        state = state.tell(tuple(interesting(query.kept) for query in wave))
    return len(questions), len(set(questions))


@cache
def means(n: int, m: int) -> dict[tuple[str, bool], float]:
    """Return the mean questions of each column."""
    counts: dict[str, list[tuple[int, int]]] = {}
    for seed in range(DRAWS):
        size, interesting = scattered(n, m)(np.random.default_rng(seed))
        for name in dict.fromkeys(name for name, _ in _COLUMNS):
            counts.setdefault(name, []).append(asked(name, size, interesting))
    return {
        (name, repeats): fmean(each[0 if repeats else 1] for each in counts[name])
        for name, repeats in _COLUMNS
    }


def baseline() -> str:
    """Return the table: a row for each kind of list."""
    head = ["", *(f"{name}{', with repeats' if repeats else ''}" for name, repeats in _COLUMNS)]
    rows = [
        [f"N = {n}, {m} essential", *(f"{each:,.0f}" for each in means(n, m).values())]
        for n, m in LISTS
    ]
    return table(head, rows)


def over(one: str, other: str, repeats: str) -> str:
    """Return the range of one algorithm's questions over another's, by list.

    `repeats` says of which of the two repeated questions count: `one`, `both` or `none`.
    """
    keys = ((one, repeats != "none"), (other, repeats == "both"))
    ratios = [means(n, m)[keys[0]] / means(n, m)[keys[1]] for n, m in LISTS]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"
