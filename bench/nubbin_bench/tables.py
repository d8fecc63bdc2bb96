"""The tables of the evaluation, from the raw results: means, ratios, kinds of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from nubbin_bench.conclusions import figures, ratio
from nubbin_bench.conclusions import number as count
from nubbin_bench.family import Family
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


def by_case(
    results: Results,
    suite: str,
    algorithms: Sequence[str],
    metrics: Sequence[str] = METRICS,
) -> str:
    """Return the paper's Tables IV and V for a suite: the cases that one of these was run on."""
    before = {
        row.case: row.tokens_before
        for row in results.rows
        if row.suite == suite and row.algorithm in algorithms
    }
    rows = []
    for case in sorted(before, key=lambda case: (before[case], case)):
        figures = [results.figure(case, name, m) for m in metrics for name in algorithms]
        rows.append([case, number(before[case]), *map(number, figures)])
    compared = results.cases(suite, algorithms)
    if compared:
        columns = [(m, name) for m in metrics for name in algorithms]
        means = [_mean_over(results, compared, name, m) for m, name in columns]
        whole = geometric(before[case] for case in compared)
        rows.append(
            [f"**mean of {len(compared)}**", number(whole), *(f"**{number(x)}**" for x in means)]
        )
    head = ["", "before", *(f"{m}, {name}" for m in metrics for name in algorithms)]
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


def directions(results: Results, suite: str, names: Sequence[str]) -> str:
    """Return the queries, and in brackets the tokens left, of algorithms from both ends.

    The cases are those that `auto` and all of them finished from the end. The last row has `auto`
    over each of them on these cases.
    """
    both = [each for name in names for each in (name, f"{name}-from-end")]
    cases = results.cases(suite, ["auto", *both[1::2]])
    here = replace(results, rows=[row for row in results.rows if row.case in cases])

    def cell(case: str, name: str) -> str:
        queries, tokens = (number(here.figure(case, name, m)) for m in ("queries", "tokens"))
        return f"{queries} ({tokens})"

    rows = [[case, *(cell(case, name) for name in ("auto", *both))] for case in cases]
    found = [here.compare(suite, "auto", name, "queries") for name in both]
    over = [f"{ratio(each)}, {count(each)}" if each else "–" for each in found]
    return table(["queries (tokens)", "auto", *both], [*rows, ["**auto over it**", "", *over]])


def _mean_over(results: Results, cases: Sequence[str], name: str, metric: str) -> float | None:
    figures = [results.figure(case, name, metric) for case in cases]
    return None if None in figures else geometric(each for each in figures if each is not None)


def ratios(results: Results, family: Family, metric: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Return a row per pair: what compares them in figures, for each suite and for all."""
    columns = [*results.suites, ALL]
    rows = []
    for one, other in pairs:
        found = [results.compare(suite, one, other, metric) for suite in columns]
        cells = [figures(each, family) if each else "" for each in found]
        rows.append([f"{one} / {other}", *cells])
    return table([metric, *columns], rows)


def kinds(results: Results, suite: str, algorithms: Sequence[str] = ()) -> str:
    """Return a row per algorithm: how often each kind of query succeeded and was asked.

    Sums over the cases that all of these algorithms finished; by default, all algorithms.
    """
    names, rows = list(algorithms) or results.algorithms, []
    for name in names:
        asked, succeeded = results.counts(suite, name, names)
        total = sum(asked.values())
        cells = [
            f"{succeeded[kind]:,.0f} / {asked[kind]:,.0f}{_rate(succeeded[kind], asked[kind])}"
            for kind in KINDS
        ]
        went = sum(succeeded.values())
        rows.append([name, *cells, f"{went:,.0f} / {total:,.0f}{_rate(went, total)}"])
    return table([f"{suite} ({len(results.cases(suite, names))})", *KINDS, "all"], rows)


def _rate(part: float, whole: float, digits: int = 1) -> str:
    return f" ({part / whole:.{digits}%})" if whole else ""


def loose(results: Results, *names: str) -> str:
    """Return how many lists the algorithms have left that were not 1-minimal, in words."""
    told = []
    for name in names:
        rows = [row for row in results.rows if row.algorithm == name]
        lists, found = sum(row.lists for row in rows), sum(row.loose for row in rows)
        told.append(f"{found:,} of {lists:,} lists of {name}{_rate(found, lists, digits=2)}")
    return ", ".join(told)


def totals(rows: Sequence[Row]) -> str:
    """Return a sentence on the size of the record."""
    tests, own = (sum(getattr(row, name) for row in rows) / 3600 for name in ("seconds", "own"))
    return (
        f"In the record: {len(rows):,} runs, {tests:.1f} hours of tests if none had been answered "
        f"from the cache, {own:.1f} hours of everything else: {(tests + own) / 2:.1f} hours on two "
        "cores, and less with the cache."
    )
