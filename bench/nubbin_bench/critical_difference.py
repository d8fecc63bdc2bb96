"""Critical-difference diagrams (Demšar, 2006): mean ranks, and what no test tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import rankdata, studentized_range

from nubbin_bench.comparisons import MIN_CASES
from nubbin_bench.family import LEVEL
from nubbin_bench.plots import drawing
from nubbin_bench.results import Results


def mean_ranks(results: Results, suite: str, metric: str) -> dict[str, float]:
    """Return the mean rank of each algorithm over the cases that all finished, the best first."""
    names = results.algorithms
    figures = [
        [results.figure(case, name, metric) or 0.0 for name in names]
        for case in results.cases(suite)
    ]
    means = np.mean(rankdata(figures, axis=1), axis=0).tolist()
    return dict(sorted(zip(names, means, strict=True), key=lambda each: each[1]))


def critical_difference(algorithms: int, cases: int) -> float:
    """Return the difference of mean ranks from which on two algorithms differ (Nemenyi's test).

    It is corrected for all pairs of algorithms, not for the other tests of a page.
    """
    q = float(studentized_range.ppf(1 - LEVEL, algorithms, np.inf)) / sqrt(2)
    return q * sqrt(algorithms * (algorithms + 1) / (6 * cases))


def alike(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Return the longest stretches, from and to, of ascending ranks that differ by less."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(at for at, other in enumerate(ranks) if other - rank < difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def draw_ranks(results: Results, metric: str, path: Path) -> None:
    """Draw a panel for each suite with enough cases; bars join what the test tells not apart."""
    suites = [each for each in results.suites if len(results.cases(each)) >= MIN_CASES]
    with drawing(path, 6, 1.9 * max(len(suites), 1), salt="ranks") as figure:
        panels = figure.subplots(max(len(suites), 1), 1, squeeze=False)[:, 0]
        for axes, suite in zip(panels, suites, strict=False):
            ranks = mean_ranks(results, suite, metric)
            cases = len(results.cases(suite))
            difference = critical_difference(len(ranks), cases)
            axes.set_title(f"{metric}, {suite} ({cases}): critical difference {difference:.1f}")
            _draw(axes, ranks, difference)


def _draw(axes: Axes, ranks: Mapping[str, float], difference: float) -> None:
    values, names = [*ranks.values()], [*ranks]
    joined = alike(values, difference)
    for at, (first, last) in enumerate(joined):
        height = -0.35 - 0.3 * at
        axes.plot(values[first : last + 1 : last - first], [height] * 2, "k", linewidth=2)
    half = (len(names) + 1) // 2
    for at, (name, rank) in enumerate(zip(names, values, strict=True)):
        left = at < half
        height = -0.8 - 0.3 * len(joined) - 0.5 * (at if left else len(names) - 1 - at)
        edge = 0.6 if left else len(names) + 0.4
        axes.plot([rank, rank, edge], [0, height, height], "k", linewidth=0.6)
        label = f" {rank:.1f}  {name}" if not left else f"{name}  {rank:.1f} "
        axes.text(edge, height, label, ha="right" if left else "left", va="center")
    axes.set(xlim=(0.6, len(names) + 0.4), xticks=range(1, len(names) + 1), yticks=[])
    axes.spines[["left", "right", "bottom"]].set_visible(False)
    axes.spines["top"].set_position(("data", 0))
    axes.xaxis.tick_top()
