"""The tables of the evaluation, from the raw results: means, p-values, kinds, 1-minimality."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from nubbin.bench.markdown import table
from nubbin.bench.means import geometric
from nubbin.bench.results import ALL, Results
from nubbin.bench.rows import KINDS, Row
from nubbin.reduction.options import HDD

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
    head = [metric, *(f"{suite} ({len(results.cases(suite))})" for suite in columns)]
    return table(head, rows)


def p_values(results: Results, suite: str, metric: str) -> str:
    """Return the p-values of every two algorithms, bold if under 0.05."""
    names = results.algorithms
    rows = [
        [
            name,
            *("" for _ in names[1 : at + 1]),
            *(_cell(results.p_value(suite, name, other, metric)) for other in names[at + 1 :]),
        ]
        for at, name in enumerate(names[:-1])
    ]
    return table([f"{metric}, {suite}", *names[1:]], rows)


def _cell(p: float | None) -> str:
    if p is None:
        return "–"
    text = f"{p:.2g}"
    return f"**{text}**" if p < 0.05 else text


def ratios(results: Results, metric: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Return a row per pair: the ratio of means and the p-value, for each suite and for all."""
    columns = [*results.suites, ALL]
    rows = []
    for one, other in pairs:
        cells = []
        for suite in columns:
            both = results.cases(suite, (one, other))
            values = [
                [results.figure(case, name, metric) or 0.0 for case in both]
                for name in (one, other)
            ]
            if both:
                ratio = geometric(values[0]) / geometric(values[1])
                p = results.p_value(suite, one, other, metric)
                cells.append(f"{ratio:.2f} (p {_cell(p)}, n {len(both)})")
            else:
                cells.append("")
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


def looseness(results: Results) -> str:
    """Return how many lists kept single elements that could still go."""
    rows = []
    for name in results.algorithms:
        for suite in [*results.suites, ALL]:
            runs = [
                row
                for row in results.rows
                if row.algorithm == name and suite in {row.suite, ALL} and row.lists
            ]
            lists, loose = sum(row.lists for row in runs), sum(row.loose for row in runs)
            if lists:
                each = sum(row.removable for row in runs) / loose if loose else 0.0
                last = sum(row.loose_last for row in runs)
                figures = [f"{lists:,}", f"{loose:,}", f"{loose / lists:.1%}", f"{each:.1f}"]
                rows.append([f"{name}, {suite}", *figures, f"{last}"])
    return table(["", "lists", "not 1-minimal", "share", "elements each", "in the last lap"], rows)


def sweep(rows: Iterable[Row], suites: Collection[str], algorithms: Sequence[str]) -> str:
    """Return the mean queries and tokens for every p0, over the cases run with each of them."""
    runs: dict[tuple[float, str], dict[str, list[Row]]] = {}
    for row in rows:
        if row.suite in suites and row.framework == HDD and row.algorithm in algorithms:
            here = runs.setdefault((row.p0, row.algorithm), {})
            here.setdefault(row.case, []).append(row)
    cases = set[str].intersection(*map(set, runs.values()))
    lines = []
    for p0 in sorted({p0 for p0, _ in runs}):
        cells = [
            number(geometric(geometric(getattr(row, m) for row in here[case]) for case in cases))
            for here in (runs[p0, name] for name in algorithms)
            for m in ("queries", "tokens")
        ]
        lines.append([f"{p0}", *cells])
    columns = (f"{m}, {name}" for name in algorithms for m in ("queries", "tokens"))
    return table([f"p0 ({len(cases)} cases)", *columns], lines)


def totals(rows: Sequence[Row]) -> str:
    """Return a sentence on the size of the record."""
    tests, own = (sum(getattr(row, name) for row in rows) / 3600 for name in ("seconds", "own"))
    return (
        f"In the record: {len(rows):,} runs, {tests:.1f} hours of tests if none had been answered "
        f"from the cache, {own:.1f} hours of everything else: {(tests + own) / 2:.1f} hours on two "
        "cores, and less with the cache."
    )
