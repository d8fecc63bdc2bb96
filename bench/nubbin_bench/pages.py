"""The pages of the evaluation: templates, filled with tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from nubbin_bench import auto_parts, kind_shares, looseness, side_by_side, tables
from nubbin_bench.artifact import SUITES
from nubbin_bench.artifact.inputs import Input, sizes
from nubbin_bench.comparisons import MIN_CASES, Comparison
from nubbin_bench.conclusions import NAMES, brief, conclusion, ratio
from nubbin_bench.critical_difference import draw_ranks
from nubbin_bench.csv_rows import load
from nubbin_bench.curves import curves, draw_curves
from nubbin_bench.family import Family
from nubbin_bench.figures import draw_kinds
from nubbin_bench.p0_sweep import sweep
from nubbin_bench.record import Record
from nubbin_bench.results import ALL, Results
from nubbin_bench.rows import FIXPOINT
from nubbin_bench.simulations import Parts, simulations
from nubbin_bench.survival import draw_survival
from nubbin_bench.templates import fill

TEMPLATES = Path(__file__).resolve().parent / "evaluation"

#: The inputs of the artifact, counted: its place in the folder of the pages.
INPUTS = Path("raw/inputs.csv")

#: The ends of runs that are compared by what they reached with as many queries.
CUT = (FIXPOINT, "max-queries")

HEADLINES = ("ddmin", "probdd", "cdd", "auto")


def write_pages(record: Record, artifact: Record, ablated: Record, docs: Path) -> None:
    """Write the pages, and the figures, from the raw results and by simulation.

    `artifact` is the record of the paper's own benchmarks, and `ablated` that of `auto` without a
    part. Each page is filled twice, because p-values are corrected for the number of tests on it.
    """
    results = Results.of(record.rows.values(), "hdd")
    simulated, inputs = simulations(), list(load(docs / INPUTS, Input))
    for template in _templates(record, artifact):
        family = Family()
        parts = {
            **simulated,
            **parts_of(record, results, family),
            **parts_of_artifact(artifact, inputs, family),
            **parts_of_ablations(ablated, family),
        }
        fill(template, parts)
        (docs / template.stem).write_text(fill(template, parts), encoding="utf-8")
    for suite in SUITES:
        draw_curves([*artifact.rows.values()], suite, HEADLINES, docs)
    if record.rows:
        draw_kinds(results, docs / "kinds.svg")
        draw_survival(results, docs / "survival.svg")
        draw_ranks(results, "queries", docs / "ranks.svg")


def _templates(record: Record, artifact: Record) -> list[Path]:
    """Return the templates that there are runs for.

    The page of one of the paper's suites has the suite's name; all others are about `record`.
    """
    measured = {row.suite for row in artifact.rows.values()}
    pages = {path.name.removesuffix(".md.in"): path for path in sorted(TEMPLATES.glob("*.md.in"))}
    return [
        path
        for page, path in pages.items()
        if (page in measured if page in SUITES else record.rows)
    ]


def parts_of(record: Record, results: Results, family: Family) -> Parts:
    """Return the parts that a template can ask for, by name, from the record."""
    rows = list(record.rows.values())

    def enough(suite: str) -> bool:
        return len(results.cases(suite)) >= MIN_CASES

    def each_suite(make: Callable[[str], str]) -> str:
        return "\n\n".join(make(suite) for suite in results.compared)

    def ratios(results: Results, metric: str, *names: str) -> str:
        return tables.ratios(results, family, metric, _pairs(names))

    def flat(framework: str) -> Results:
        return Results.of(rows, framework)

    return {
        "means": partial(tables.means, results),
        "by-case": lambda suite: tables.by_case(results, suite, HEADLINES),
        "ratios": partial(ratios, results),
        "conclusions": partial(_conclusions, results, family),
        "brief": lambda metric, one, other: brief(_compared(results, metric, one, other), family),
        "every-p-value": lambda: "\n\n".join(
            tables.p_values(results, family, suite, metric)
            for suite in filter(enough, results.suites)
            for metric in tables.METRICS
        ),
        "tests": lambda: f"{len(family):,}",
        "kinds": lambda: each_suite(partial(tables.kinds, results)),
        "bottleneck": partial(kind_shares.bottleneck, results),
        "loose": lambda: looseness.looseness(results),
        "loose-published": lambda: looseness.against_published(results, family),
        "loose-last": lambda: looseness.last_laps(results),
        "totals": lambda: tables.totals(rows),
        "sweep": lambda names, *suites: sweep(rows, family, suites, names.split(",")),
        "flat-by-case": lambda framework, suite, names: tables.by_case(
            flat(framework), suite, names.split(",")
        ),
        "flat-means": lambda framework, metric: tables.means(flat(framework), metric),
        "flat-ratios": lambda framework, *args: ratios(flat(framework), *args),
        "flat-conclusions": lambda framework, *args: _conclusions(flat(framework), family, *args),
        "flat-brief": lambda framework, metric, one, other: brief(
            _compared(flat(framework), metric, one, other), family
        ),
    }


def _pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the algorithms of each name like `cdd/ddmin`."""
    return [(one, other) for one, _, other in (name.partition("/") for name in names)]


def _compared(results: Results, metric: str, one: str, other: str) -> list[Comparison]:
    """Return the comparisons on each suite, and on all."""
    found = [results.compare(each, one, other, metric) for each in [*results.suites, ALL]]
    return [each for each in found if each]


def _conclusions(results: Results, family: Family, metric: str, *names: str) -> str:
    """Return a list with a sentence for each pair of algorithms."""
    return "\n".join(
        f"- **{one} / {other}, {NAMES.get(metric, metric)}**: {conclusion(found, family)}"
        for one, other in _pairs(names)
        if (found := _compared(results, metric, one, other))
    )


def parts_of_ablations(ablated: Record, family: Family) -> Parts:
    """Return the parts about `auto` without one of its parts, by name."""
    results = Results.of(ablated.rows.values(), "hdd")
    return {
        "auto-by-case": partial(auto_parts.by_case, results),
        "auto-ratios": partial(auto_parts.ratios, results, family),
        "auto-conclusions": lambda metric: _conclusions(
            results, family, metric, *(f"{name}/auto" for name in auto_parts.NAMES)
        ),
    }


def parts_of_artifact(artifact: Record, inputs: Sequence[Input], family: Family) -> Parts:
    """Return the parts about the paper's own benchmarks, by name."""
    rows = list(artifact.rows.values())

    def here(suite: str, framework: str, ends: Sequence[str] = (FIXPOINT,)) -> Results:
        return Results.of([row for row in rows if row.suite == suite], framework, ends)

    def begin(prefixes: str, framework: str) -> Results:
        """Return the results of the benchmarks with names that begin so."""
        chosen = [row for row in rows if row.case.startswith(tuple(prefixes.split(",")))]
        return Results.of(chosen, framework)

    def among(prefixes: str, framework: str, metric: str, one: str, other: str) -> str:
        results = begin(prefixes, framework)
        found = [results.compare(suite, one, other, metric) for suite in results.suites]
        return ", ".join(f"{ratio(each)}, n {each.cases}" for each in found if each)

    return {
        "sizes": partial(sizes, inputs),
        "among": among,
        "over-ours": lambda prefixes, framework, name: side_by_side.over_ours(
            begin(prefixes, framework).rows, name
        ),
        "published-brief": lambda suite, framework, metric, one, other: brief(
            _compared(here(suite, framework), metric, one, other), family
        ),
        "published-conclusions": lambda suite, framework, *args: _conclusions(
            here(suite, framework), family, *args
        ),
        "after-limit": lambda suite, framework, *args: _conclusions(
            here(suite, framework, CUT), family, *args
        ),
        "after-limit-brief": lambda suite, framework, metric, one, other: brief(
            _compared(here(suite, framework, CUT), metric, one, other), family
        ),
        "curves": lambda suite: curves(rows, suite, HEADLINES),
        "published": lambda suite, framework: side_by_side.benchmarks(
            here(suite, framework), suite, HEADLINES
        ),
        "published-ratios": lambda suite, frameworks: side_by_side.ratios(
            {name: here(suite, name) for name in frameworks.split(",")},
            family,
            suite,
            HEADLINES[1:],
        ),
    }
