"""ddmin without keeping a subset alone, without starting again after a success, without both."""

from __future__ import annotations

from statistics import fmean

import numpy as np

from nubbin.bench.lists import Interesting, brackets, clustered, forest, mirrored, scattered
from nubbin.bench.markdown import table
from nubbin.minimizers import Subset

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


def ablations(n: int) -> str:
    """Return the mean queries and elements left of each variant, on families of lists."""
    families = {
        "one essential": scattered(n, 1),
        "8 essential, anywhere": scattered(n, 8),
        "64 essential, anywhere": scattered(n, 64),
        "8 essential, in one cluster": clustered(n, 8, 8),
        "definitions before uses": forest(n, 3),
        "uses before definitions": mirrored(forest(n, 3)),
        "nested brackets": brackets(n, 3),
    }
    rows = []
    for family, problem in families.items():
        cells = []
        for variant in VARIANTS.values():
            runs = [ddmin(*problem(np.random.default_rng(seed)), *variant) for seed in range(DRAWS)]
            left = fmean(len(kept) for kept, _ in runs)
            cells.append(f"{fmean(asked for _, asked in runs):,.0f}, {left:.1f} left")
        rows.append([family, *cells])
    return table(["", *VARIANTS], rows)
