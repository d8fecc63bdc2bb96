"""The pages of docs/evaluation: templates in bench/evaluation, filled with tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import paper_tables
import paper_theory
import running_example
from pages import fill
from paper_figures import draw_kinds
from paper_record import Record
from paper_results import ALL, MIN_PAIRS, Results

TEMPLATES = Path(__file__).resolve().parent / "evaluation"

HEADLINES = ("ddmin", "probdd", "cdd", "auto")


def write_pages(record: Record, docs: Path) -> None:
    """Write every page, and the figure, from the raw results and by simulation."""
    results = Results.of(record.rows.values(), "hdd")
    parts = parts_of(record, results)
    for template in sorted(TEMPLATES.glob("*.md.in")):
        (docs / template.stem).write_text(fill(template, parts), encoding="utf-8")
    draw_kinds(results, docs / "kinds.svg")


def parts_of(record: Record, results: Results) -> dict[str, Callable[..., str]]:
    """Return the parts that a template can ask for, by name."""
    rows = list(record.rows.values())

    def enough(suite: str) -> bool:
        return len(results.cases(suite)) >= MIN_PAIRS

    def each_suite(make: Callable[[str], str]) -> str:
        return "\n\n".join(make(suite) for suite in results.compared)

    def ratios(results: Results, metric: str, *names: str) -> str:
        pairs = [(one, other) for one, _, other in (name.partition("/") for name in names)]
        return paper_tables.ratios(results, metric, pairs)

    def flat(framework: str) -> Results:
        return Results.of(rows, framework)

    return {
        "means": partial(paper_tables.means, results),
        "by-case": lambda suite: paper_tables.by_case(results, suite, HEADLINES),
        "ratios": partial(ratios, results),
        "p-values": lambda metric: paper_tables.p_values(results, ALL, metric),
        "every-p-value": lambda: "\n\n".join(
            paper_tables.p_values(results, suite, metric)
            for suite in filter(enough, results.suites)
            for metric in paper_tables.METRICS
        ),
        "kinds": lambda: each_suite(partial(paper_tables.kinds, results)),
        "loose": lambda: paper_tables.looseness(results),
        "totals": lambda: paper_tables.totals(rows),
        "sweep": lambda names, *suites: paper_tables.sweep(rows, suites, names.split(",")),
        "flat-by-case": lambda framework, suite, names: paper_tables.by_case(
            flat(framework), suite, names.split(",")
        ),
        "flat-means": lambda framework, metric: paper_tables.means(flat(framework), metric),
        "flat-ratios": lambda framework, *args: ratios(flat(framework), *args),
        "running-example": lambda: "\n\n".join(running_example.tables()),
        "probability": lambda n, p0: paper_theory.probability(int(n), float(p0)),
        "lithium": paper_theory.lithium,
        "prefixes": paper_theory.prefixes,
        "quadratic": paper_theory.quadratic,
        "blocks": paper_theory.blocks,
        "densities": lambda n, draws: paper_theory.densities(int(n), int(draws)),
    }
