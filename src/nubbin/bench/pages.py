"""The pages of the evaluation: templates, filled with tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from nubbin.bench import probes, running_example, side_by_side, small_lists, tables, theory
from nubbin.bench.figures import draw_kinds
from nubbin.bench.record import Record
from nubbin.bench.results import ALL, MIN_PAIRS, Results
from nubbin.bench.templates import fill

TEMPLATES = Path(__file__).resolve().parent / "evaluation"

HEADLINES = ("ddmin", "probdd", "cdd", "auto")


def write_pages(record: Record, artifact: Record, docs: Path) -> None:
    """Write every page, and the figure, from the raw results and by simulation.

    `artifact` is the record of the paper's own benchmarks.
    """
    results = Results.of(record.rows.values(), "hdd")
    parts = {**parts_of(record, results), **parts_of_artifact(artifact)}
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
        return tables.ratios(results, metric, pairs)

    def flat(framework: str) -> Results:
        return Results.of(rows, framework)

    return {
        "means": partial(tables.means, results),
        "by-case": lambda suite: tables.by_case(results, suite, HEADLINES),
        "ratios": partial(ratios, results),
        "p-values": lambda metric: tables.p_values(results, ALL, metric),
        "every-p-value": lambda: "\n\n".join(
            tables.p_values(results, suite, metric)
            for suite in filter(enough, results.suites)
            for metric in tables.METRICS
        ),
        "kinds": lambda: each_suite(partial(tables.kinds, results)),
        "loose": lambda: tables.looseness(results),
        "totals": lambda: tables.totals(rows),
        "sweep": lambda names, *suites: tables.sweep(rows, suites, names.split(",")),
        "flat-by-case": lambda framework, suite, names: tables.by_case(
            flat(framework), suite, names.split(",")
        ),
        "flat-means": lambda framework, metric: tables.means(flat(framework), metric),
        "flat-ratios": lambda framework, *args: ratios(flat(framework), *args),
        "running-example": lambda: "\n\n".join(running_example.tables()),
        "probability": lambda n, p0: theory.probability(int(n), float(p0)),
        "lithium": theory.lithium,
        "prefixes": theory.prefixes,
        "quadratic": theory.quadratic,
        "padding": lambda most: small_lists.padding(int(most)),
        "segments": probes.segments,
        "probes": probes.probes,
        "crossover": lambda n, draws: probes.crossover(int(n), int(draws)),
        "blocks": theory.blocks,
        "densities": lambda n, draws: theory.densities(int(n), int(draws)),
    }


def parts_of_artifact(artifact: Record) -> dict[str, Callable[..., str]]:
    """Return the parts about the paper's own benchmarks, by name."""
    rows = list(artifact.rows.values())

    def in_framework(framework: str) -> Results:
        return Results.of(rows, framework)

    return {
        "published": lambda suite, framework: side_by_side.benchmarks(
            in_framework(framework), suite, HEADLINES
        ),
        "published-ratios": lambda suite, frameworks: side_by_side.ratios(
            {name: in_framework(name) for name in frameworks.split(",")}, suite, HEADLINES[1:]
        ),
    }
