"""ProbDD's probabilities and sizes by round, beside the formulas (Zhang et al., section III)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import log1p
from statistics import fmean

import numpy as np

from nubbin_bench.markdown import table
from nubbin_core.minimizers import Settings, Subset
from nubbin_core.minimizers.published.cdd import GROWTH
from nubbin_core.minimizers.published.probdd import ProbDD


@dataclass(frozen=True, slots=True)
class Round:
    """All elements that were refused `number` times: their probabilities, and subsets' sizes."""

    number: int
    p0: float
    chances: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def formula(self) -> float:
        """The probability by the formula."""
        return min(self.p0 * GROWTH**self.number, 1.0)


@cache
def rounds(n: int, p0: float) -> list[Round]:
    """Return the rounds of a list of N elements of which nothing can go.

    An element's round is the number of its refusals. Since the list stays at N elements, the only
    thing that matters is whether sizes divide N.
    """
    refused = np.zeros(n, dtype=np.int64)
    seen: list[tuple[int, float, int]] = []  # round, probability, size
    state: ProbDD = ProbDD.start(Subset.full(n), Settings(p0=p0))
    while state.ask():
        gone = list(state.kept.less(state.asked))
        for p, members in state.chosen:
            seen += [(int(refused[i]), p, len(gone)) for i in members]
        refused[gone] += 1
        state = state.tell((False,))
    found = []
    for number, group in groupby(sorted(seen), key=lambda each: each[0]):
        _, chances, sizes = zip(*group, strict=True)
        found.append(Round(number, p0, chances, sizes))
    return found


def probability(n: int, p0: float) -> str:
    """Return a row for each round: probabilities, and the sizes that follow from them."""
    rows = []
    for each in rounds(n, p0):
        p = fmean(each.chances)
        rows.append(
            [
                f"{each.number}",
                f"{each.formula:.4f}",
                f"{p:.4f}",
                f"{min(each.chances):.4f} to {max(each.chances):.4f}",
                f"{-1 / log1p(-p):.2f}",
                f"{fmean(each.sizes):.2f}",
                f"{min(each.sizes)} to {max(each.sizes)}",
            ]
        )
    head = ["round", "1.582^r p0", "p, mean", "p, from to", "-1/ln(1-p)", "size, mean"]
    return table([*head, "size, from to"], rows)


def fit(lists: Iterable[tuple[int, float]]) -> str:
    """Return how far the mean probabilities are from the formula, while sizes are over 1."""
    off = [
        fmean(each.chances) / each.formula - 1
        for n, p0 in lists
        for each in rounds(n, p0)
        if min(each.sizes) > 1
    ]
    return f"from {100 * min(off):+.0f} % to {100 * max(off):+.0f} % off"
