"""The tables of the evaluation, from the raw results: means, ratios, p-values, kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nubbin_bench.conclusions import figures
from nubbin_bench.family import LEVEL, Family
from nubbin_bench.markdown import table
from nubbin_bench.means import geometric
from nubbin_bench.results import ALL, Results
from nubbin_bench.rows import KINDS, Row

METRICS = ("tokens", "queries", "seconds")


def number(value: float | None) -> str:
    """Return a figure for a cell; a dash if there is none."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def by_case(results: Results, suite: str, algorithms: Sequence[str]) -> str:
    """Return the paper's Tables IV and V for a suite."""
    before = {row.case: row.tokens_before for row in results.rows if row.suite == suite}
    rows = []
    for case in sorted(before, key=lambda case: (before[case], case)):
        figures = [results.figure(case, name, m) for m in METRICS for name in algorithms]
        rows.append([case, number(before[case]), *map(number, figures)])
    compared = results.cases(suite)
    if compared:
        means = [results.mean(suite, name, m) for m in METRICS for name in algorithms]
        whole = geometric(before[case] for case in compared)
        rows.append(
            [f"**mean of {len(compared)}**", number(whole), *(f"**{number(x)}**" for x in means)]
        )
    head = ["", "before", *(f"{m}, {name}" for m in METRICS for name in algorithms)]
    return table(head, rows)


def means(results: Results, metric: str) -> str:
    """Return geometric means: a row per algorithm, a column per suite and one for all."""
    columns = [*results.suites, ALL]
    rows = [
        [name, *(number(results.mean(suite, name, metric)) for suite in columns)]
        for name in results.algorithms
    ]
    head = [f"{suite} ({len(results.cases(suite))})" for suite in results.suites]
    return table([metric, *head, f"{ALL} ({len(results.balanced())} suites)"], rows)


def p_values(results: Results, family: Family, suite: str, metric: str) -> str:
    """Return the corrected p-values of every two algorithms, bold if they are under LEVEL."""

    def cell(one: str, other: str) -> str:
        found = results.compare(suite, one, other, metric)
        p = family.corrected(found, found.p_value) if found else None
        if p is None:
            return "–"
        return f"**{p:.2g}**" if p < LEVEL else f"{p:.2g}"

    names = results.algorithms
    rows = [
        [name, *("" for _ in names[1 : at + 1]), *(cell(name, other) for other in names[at + 1 :])]
        for at, name in enumerate(names[:-1])
    ]
    return table([f"{metric}, {suite}", *names[1:]], rows)


def ratios(results: Results, family: Family, metric: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Return a row per pair: what compares them in figures, for each suite and for all."""
    columns = [*results.suites, ALL]
    rows = []
    for one, other in pairs:
        found = [results.compare(suite, one, other, metric) for suite in columns]
        cells = [figures(each, family) if each else "" for each in found]
        rows.append([f"{one} / {other}", *cells])
    return table([metric, *columns], rows)


def kinds(results: Results, suite: str) -> str:
    """Return a row per algorithm: how often each kind of query succeeded and was asked."""
    rows = []
    for name in results.algorithms:
        asked, succeeded = results.counts(suite, name)
        total = sum(asked.values())
        cells = [
            f"{succeeded[kind]:,.0f} / {asked[kind]:,.0f}{_rate(succeeded[kind], asked[kind])}"
            for kind in KINDS
        ]
        went = sum(succeeded.values())
        rows.append([name, *cells, f"{went:,.0f} / {total:,.0f}{_rate(went, total)}"])
    return table([suite, *KINDS, "all"], rows)


def _rate(part: float, whole: float) -> str:
    return f" ({part / whole:.1%})" if whole else ""


def totals(rows: Sequence[Row]) -> str:
    """Return a sentence on the size of the record."""
    tests, own = (sum(getattr(row, name) for row in rows) / 3600 for name in ("seconds", "own"))
    return (
        f"In the record: {len(rows):,} runs, {tests:.1f} hours of tests if none had been answered "
        f"from the cache, {own:.1f} hours of everything else: {(tests + own) / 2:.1f} hours on two "
        "cores, and less with the cache."
    )
