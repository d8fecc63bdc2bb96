"""The paper's Figure 2: queries by kind, as stacked bars for every algorithm and suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nubbin_bench.plots import drawing
from nubbin_bench.results import Results
from nubbin_bench.rows import KINDS

COLOURS = {"complement": "#d1495b", "revisit": "#edae49", "other": "#2e86ab"}


def draw_kinds(results: Results, algorithms: Sequence[str], path: Path) -> None:
    """Draw a panel for each suite with cases that all of the algorithms finished.

    The number over a bar is the share of queries that succeeded.
    """
    suites = [suite for suite in results.suites if results.cases(suite, algorithms)]
    with drawing(path, 3.2 * max(len(suites), 1), 3, salt="kinds") as figure:
        panels = figure.subplots(1, max(len(suites), 1), squeeze=False)[0]
        for axes, suite in zip(panels, suites, strict=False):
            for at, name in enumerate(algorithms):
                asked, succeeded = results.counts(suite, name, algorithms)
                base = 0.0
                for kind in KINDS:
                    label = kind if at == 0 else None
                    axes.bar(at, asked[kind], bottom=base, color=COLOURS[kind], label=label)
                    base += asked[kind]
                if base:
                    share = f"{sum(succeeded.values()) / base:.0%}"
                    axes.text(at, base, share, ha="center", va="bottom")
            axes.set(title=f"{suite} ({len(results.cases(suite, algorithms))})")
            axes.set_xticks(range(len(algorithms)), algorithms, rotation=60, ha="right")
            axes.spines[["top", "right"]].set_visible(False)
        panels[0].set_ylabel("queries")
        if suites:
            panels[0].legend(frameon=False)
