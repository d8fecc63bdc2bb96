"""Survival plots: the share of cases that an algorithm has not finished, over queries."""

from __future__ import annotations

from pathlib import Path

from nubbin_bench.plots import drawing
from nubbin_bench.results import Results

#: A list of queries, and after each the share of cases that are not finished.
Steps = tuple[list[float], list[float]]


def survival(results: Results, suite: str, algorithm: str) -> Steps:
    """Return the steps of an algorithm, over the cases that every algorithm was run on.

    A case that it did not finish is never left out, so its curve does not come down to 0.
    """
    cases = {row.case for row in results.rows if row.suite == suite}
    common = [case for case in cases if all((case, n) in results.runs for n in results.algorithms)]
    needed = (results.figure(case, algorithm, "queries") for case in common)
    finished = sorted(each for each in needed if each is not None)
    shares = [1 - at / len(common) for at in range(len(finished) + 1)] if common else []
    return [1.0, *finished] if common else [], shares


def draw_survival(results: Results, path: Path) -> None:
    """Draw a panel for each suite, a curve for each algorithm."""
    with drawing(path, 3.2 * max(len(results.compared), 1), 3, salt="survival") as figure:
        panels = figure.subplots(1, max(len(results.compared), 1), squeeze=False)[0]
        for axes, suite in zip(panels, results.compared, strict=False):
            for at, name in enumerate(results.algorithms):
                queries, shares = survival(results, suite, name)
                style = "-" if at < 5 else "--"
                axes.step(queries, shares, style, where="post", label=name, color=f"C{at % 5}")
            axes.set(title=suite, xscale="log", xlabel="queries", ylim=(0, 1.02))
            axes.spines[["top", "right"]].set_visible(False)
        panels[0].set_ylabel("share of cases not finished")
        if results.compared:
            panels[-1].legend(frameon=False, fontsize=6)
