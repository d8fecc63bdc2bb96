"""The paper's Figure 2: queries by kind, as stacked bars for every algorithm and suite."""

from __future__ import annotations

from pathlib import Path

from nubbin_bench.plots import drawing
from nubbin_bench.results import Results
from nubbin_bench.rows import KINDS

COLOURS = {"complement": "#d1495b", "revisit": "#edae49", "other": "#2e86ab"}


def draw_kinds(results: Results, path: Path) -> None:
    """Draw a panel for each suite; the number over a bar is the share of queries that succeeded."""
    with drawing(path, 3.2 * len(results.compared), 3, salt="kinds") as figure:
        panels = figure.subplots(1, len(results.compared), squeeze=False)[0]
        for axes, suite in zip(panels, results.compared, strict=True):
            for at, name in enumerate(results.algorithms):
                asked, succeeded = results.counts(suite, name)
                base = 0.0
                for kind in KINDS:
                    label = kind if at == 0 else None
                    axes.bar(at, asked[kind], bottom=base, color=COLOURS[kind], label=label)
                    base += asked[kind]
                if base:
                    share = f"{sum(succeeded.values()) / base:.0%}"
                    axes.text(at, base, share, ha="center", va="bottom")
            axes.set(title=f"{suite} ({len(results.cases(suite))})")
            axes.set_xticks(
                range(len(results.algorithms)), results.algorithms, rotation=60, ha="right"
            )
            axes.spines[["top", "right"]].set_visible(False)
        panels[0].set_ylabel("queries")
        panels[0].legend(frameon=False)
