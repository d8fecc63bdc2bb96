"""ddmin without one or both of its two kinds of queries, and CDD as its program runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from statistics import fmean

import numpy as np

from nubbin_bench.lists import (
    Interesting,
    Problem,
    brackets,
    clustered,
    drive,
    forest,
    mirrored,
    scattered,
)
from nubbin_bench.markdown import table
from nubbin_bench.studied import STUDIED
from nubbin_core.minimizers import Settings, Subset

#: Lists of each family, with a seed for each.
DRAWS = 20

#: By name: whether a subset is kept alone, and whether removals start again after a success.
VARIANTS = {
    "ddmin": (True, True),
    "without subsets": (False, True),
    "without restarts": (True, False),
    "without both": (False, False),
}


def ddmin(n: int, interesting: Interesting, subsets: bool, restarts: bool) -> tuple[Subset, int]:
    """Return what ddmin keeps of N elements, and its queries; see `Ddmin` for the algorithm."""
    kept, size, asked = Subset.full(n), n // 2, 0

    def holds(candidate: Subset) -> bool:
        nonlocal asked
        asked += 1
        return interesting(candidate)

    while size:
        chunks = [kept[at : at + size] for at in range(0, len(kept), size)]
        alone = next((chunk for chunk in chunks if holds(chunk)), None) if subsets else None
        if alone is not None:
            kept, size = alone, len(alone) // 2
            continue
        at = 0
        while at < len(chunks) > (2 if subsets else 1):
            if holds(kept.less(chunks[at])):
                kept = kept.less(chunks.pop(at))
                at = 0 if restarts else at
            else:
                at += 1
        size //= 2
    return kept, asked


def families(n: int) -> dict[str, Problem]:
    """Return families of lists of N elements, by name."""
    return {
        "one essential": scattered(n, 1),
        "8 essential, anywhere": scattered(n, 8),
        "64 essential, anywhere": scattered(n, 64),
        "8 essential, in one cluster": clustered(n, 8, 8),
        "definitions before uses": forest(n, 3),
        "uses before definitions": mirrored(forest(n, 3)),
        "nested brackets": brackets(n, 3),
    }


Variant = Callable[[int, Interesting], tuple[Subset, int]]

#: By family and variant: the mean queries, and the mean of the elements left.
Means = dict[str, dict[str, tuple[float, float]]]


def ablations(n: int) -> str:
    """Return the mean queries and elements left of each variant of ddmin, family by family."""

    def without(subsets: bool, restarts: bool) -> Variant:
        return lambda n, interesting: ddmin(n, interesting, subsets, restarts)

    return _shown(_means(n, {name: without(*variant) for name, variant in VARIANTS.items()}))


@cache
def _programs(n: int) -> Means:
    def named(name: str) -> Variant:
        def run(n: int, interesting: Interesting) -> tuple[Subset, int]:
            state, asked = drive(STUDIED[name](Subset.full(n), Settings()), interesting)
            return state.kept, asked

        return run

    return _means(n, {name: named(name) for name in ("cdd", "cdd-artifact")})


def programs(n: int) -> str:
    """Return the same of CDD and of CDD as the program of its paper's artifact runs it."""
    return _shown(_programs(n))


def programs_range(n: int) -> str:
    """Return in words how far apart both are: the program's mean figures over CDD's."""
    pairs = [(each["cdd-artifact"], each["cdd"]) for each in _programs(n).values()]
    spreads = []
    for at in range(2):
        ratios = [program[at] / paper[at] for program, paper in pairs]
        spreads.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
    return f"{spreads[0]} times the queries, {spreads[1]} times the elements left"


def _means(n: int, variants: Mapping[str, Variant]) -> Means:
    means: Means = {}
    for family, problem in families(n).items():
        means[family] = {}
        for name, run in variants.items():
            runs = [run(*problem(np.random.default_rng(seed))) for seed in range(DRAWS)]
            left = fmean(len(kept) for kept, _ in runs)
            means[family][name] = (fmean(asked for _, asked in runs), left)
    return means


def _shown(means: Means) -> str:
    rows = [
        [family, *(f"{asked:,.0f}, {left:.1f} left" for asked, left in found.values())]
        for family, found in means.items()
    ]
    return table(["", *next(iter(means.values()))], rows)
