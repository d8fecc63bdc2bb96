"""Curves of the size that is left, over queries and over seconds of the test."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from statistics import median

from nubbin_bench.halvings import points
from nubbin_bench.plots import drawing
from nubbin_bench.results import Results
from nubbin_bench.rows import FIXPOINT, Row

#: The axes of a point, in its order.
_AXES = ("queries", "seconds")

_MIN_SECONDS = 0.01


def runs_of(results: Results, algorithms: Sequence[str]) -> dict[str, list[Row]]:
    """Return the runs of each algorithm, on the cases that all of them have a curve of.

    They are those of the first seed. An algorithm that was not run has none.
    """
    found = {
        name: {row.case: row for row in results.rows if row.algorithm == name and not row.seed}
        for name in algorithms
    }
    curves = [{case for case, row in runs.items() if row.halvings} for runs in found.values()]
    common = sorted(set.intersection(*curves)) if curves else []
    return {name: [runs[case] for case in common] for name, runs in found.items() if common}


def curve(runs: Sequence[Row], axis: int) -> list[float]:
    """Return the median over runs of what it takes until 1/2, 1/4, 1/8, ... is left.

    A run that does not get that far takes an infinite time; the curve ends when the median does.
    Seconds are at least 0.01, the least that a row tells, because there is no logarithm of 0.
    """
    taken = [[max(point[axis], _MIN_SECONDS) for point in points(row)[1:]] for row in runs]
    medians: list[float] = []
    for at in range(max(map(len, taken), default=0)):
        middle = median(each[at] if at < len(each) else inf for each in taken)
        if middle == inf:
            break
        medians.append(middle)
    return medians


def cut(runs: Sequence[Row]) -> int:
    """Return how many runs a limit cut."""
    return sum(row.end != FIXPOINT for row in runs)


def draw_curves(rows: Sequence[Row], suite: str, algorithms: Sequence[str], docs: Path) -> None:
    """Draw the curves of a suite, if there are any.

    There is a row for each framework, a panel for each axis, a curve for each algorithm.
    """
    frameworks = _drawn(rows, suite, algorithms)
    if not frameworks:
        return
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415 - as in `drawing`

    with drawing(docs / _file(suite), 6.4, 2.6 * len(frameworks), salt=suite) as figure:
        grid = figure.subplots(len(frameworks), len(_AXES), squeeze=False, sharey=True)
        for panels, (framework, runs) in zip(grid, frameworks.items(), strict=True):
            for at, (axes, unit) in enumerate(zip(panels, _AXES, strict=True)):
                for name, each in runs.items():
                    medians = curve(each, at)
                    left = [0.5 ** (n + 1) for n in range(len(medians))]
                    label = f"{name}, {cut(each)} of {len(each)} cut" if cut(each) else name
                    axes.plot(medians, left, ".-", label=label, linewidth=1, markersize=4)
                axes.set(title=framework, xlabel=unit, xscale="log")
                axes.set_yscale("log", base=2)
                axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axes.xaxis.set_major_formatter("{x:g}")
                axes.xaxis.set_minor_formatter(NullFormatter())
                axes.yaxis.set_major_formatter(lambda share, _: f"1/{1 / share:g}")
                axes.spines[["top", "right"]].set_visible(False)
            panels[0].set_ylabel("share of the bytes left")
            panels[-1].legend(frameon=False, fontsize=6)


def curves(rows: Sequence[Row], suite: str, algorithms: Sequence[str]) -> str:
    """Return the section of a page with the curves of a suite; empty if there are none."""
    frameworks = _drawn(rows, suite, algorithms)
    if not frameworks:
        return ""
    counts = ", ".join(
        f"{len(next(iter(runs.values())))} in `{name}`" for name, runs in frameworks.items()
    )
    return (
        "## How the size falls\n\n"
        "![medians of what it takes until a half, a quarter, ... of the bytes is left]"
        f"({_file(suite)})\n\n"
        "Medians, over the benchmarks of which there is the log of each of these algorithms "
        f"({counts}), of the queries and of the seconds of the test until a half of the bytes was "
        "left, a quarter, and so on; with the first seed. A run that does not get that far takes "
        "an infinite time, so a curve ends when its median is infinite. The legend tells how many "
        "runs a limit cut."
    )


def _drawn(
    rows: Sequence[Row], suite: str, algorithms: Sequence[str]
) -> dict[str, dict[str, list[Row]]]:
    """Return the runs to draw of a suite, in each framework in which some have a curve."""
    here = [row for row in rows if row.suite == suite]
    names = sorted({row.framework for row in here})
    found = {name: runs_of(Results.of(here, name), algorithms) for name in names}
    return {
        name: runs for name, runs in found.items() if any(curve(each, 0) for each in runs.values())
    }


def _file(suite: str) -> str:
    return f"curves-{suite}.svg"
