"""The pages of the evaluation: templates, filled with tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from nubbin_bench import anytime, auto_parts, kind_shares, side_by_side, tables
from nubbin_bench.anytime import ENDS
from nubbin_bench.artifact import SUITES
from nubbin_bench.artifact.inputs import Input, sizes
from nubbin_bench.command_of import commands
from nubbin_bench.comparisons import Comparison
from nubbin_bench.conclusions import NAMES, brief, conclusion, number, primary, ratio
from nubbin_bench.csv_rows import load
from nubbin_bench.curves import curves, draw_curves
from nubbin_bench.family import Family
from nubbin_bench.figures import draw_kinds
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

#: The page on the user's own cases; all others are on the paper's, or simulated.
OWN = "your-cases"

HEADLINES = ("ddmin", "probdd", "cdd", "auto")


def write_pages(record: Record, artifact: Record, ablated: Record, docs: Path) -> None:
    """Write the pages, and the figures, from the raw results and by simulation.

    `record` has the runs of the user's own cases, `artifact` those of the paper's, and `ablated`
    those of `auto` without a part. A page is written if there are runs for it. Each is filled
    twice, because p-values are corrected for the number of tests on it.
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
    if artifact.rows:
        draw_kinds(Results.of(artifact.rows.values(), "picireny"), HEADLINES, docs / "kinds.svg")
    if record.rows:
        draw_survival(results, docs / "survival.svg")


def _templates(record: Record, artifact: Record) -> list[Path]:
    """Return the templates that there are runs for.

    The page of one of the paper's suites has the suite's name, and needs runs of it.
    """
    measured = {row.suite for row in artifact.rows.values()}
    pages = {path.name.removesuffix(".md.in"): path for path in sorted(TEMPLATES.glob("*.md.in"))}
    there = {page: bool(artifact.rows) for page in pages}
    there |= {suite: suite in measured for suite in SUITES} | {OWN: bool(record.rows)}
    return [path for page, path in pages.items() if there[page]]


def parts_of(record: Record, results: Results, family: Family) -> Parts:
    """Return the parts on the user's own cases, by name."""

    def each_suite(make: Callable[[str], str]) -> str:
        return "\n\n".join(make(suite) for suite in results.compared)

    return {
        "means": partial(tables.means, results),
        "each-case": lambda: each_suite(
            lambda suite: f"### {suite}\n\n{tables.by_case(results, suite, HEADLINES)}"
        ),
        "ratios": lambda metric, *names: tables.ratios(results, family, metric, _pairs(names)),
        "conclusions": partial(_conclusions, results, family),
        "kinds": lambda: each_suite(partial(tables.kinds, results)),
        "totals": lambda: tables.totals([*record.rows.values()]),
        "tests": lambda: f"{len(family):,}",
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
        "auto-primary": lambda metric, name: primary(
            _compared(results, metric, f"auto_ablations.py:{name}", "auto"), family
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
        return ", ".join(f"{ratio(each)}, {number(each)}" for each in found if each)

    def run_with(suite: str, framework: str, first: str, *others: str) -> str:
        """Return questions and tokens on the benchmarks that the first algorithm was run on."""
        cases = {row.case for row in rows if row.algorithm == first}
        results = Results.of([row for row in rows if row.case in cases], framework)
        return tables.by_case(results, suite, [first, *others], ("asks", "queries", "tokens"))

    def until(suite: str, framework: str, one: str, other: str) -> str:
        found = anytime.until_the_same_size(here(suite, framework, ENDS), suite, one, other)
        return f"{ratio(found)}, {number(found)}" if found else "–"

    return {
        "sizes": partial(sizes, inputs),
        "among": among,
        "until": until,
        "over-ours": lambda prefixes, framework, name: side_by_side.over_ours(
            begin(prefixes, framework).rows, name
        ),
        "primary": lambda suite, framework, metric, name: primary(
            _compared(here(suite, framework), metric, *name.split("/")), family
        ),
        "primary-after-limit": lambda suite, framework, metric, name: primary(
            _compared(here(suite, framework, CUT), metric, *name.split("/")), family
        ),
        "published-brief": lambda suite, framework, metric, one, other: brief(
            _compared(here(suite, framework), metric, one, other)
        ),
        "published-conclusions": lambda suite, framework, *args: _conclusions(
            here(suite, framework), family, *args
        ),
        "after-limit": lambda suite, framework, *args: _conclusions(
            here(suite, framework, CUT), family, *args
        ),
        "after-limit-brief": lambda suite, framework, metric, one, other: brief(
            _compared(here(suite, framework, CUT), metric, one, other)
        ),
        "command": lambda suite: commands(rows, suite),
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
        "published-figures": lambda suite, framework, metric, *names: tables.ratios(
            here(suite, framework), family, metric, _pairs(names)
        ),
        "published-kinds": lambda suite, framework, names: tables.kinds(
            here(suite, framework), suite, names.split(",")
        ),
        "bottleneck": lambda suite, framework, name: kind_shares.bottleneck(
            here(suite, framework), suite, name
        ),
        "directions": lambda suite, framework, names: tables.directions(
            here(suite, framework), suite, names.split(",")
        ),
        "run-with": run_with,
        "loose": lambda suite, framework, *names: tables.loose(here(suite, framework), *names),
    }
