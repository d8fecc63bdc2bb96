"""The tables of the evaluation, from the raw results: means, p-values, kinds, 1-minimality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean

from scipy.stats import wilcoxon

from paper_runs import KINDS, Row
from paper_suites import ALGORITHMS, EVERY, P0

METRICS = ("tokens", "queries", "seconds")
#: Fewer pairs than this cannot give a p-value under 0.05, whatever they are.
FEWEST = 6
ALL = "all"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the first column is text, the others are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def geometric(values: Iterable[float]) -> float:
    """Geometric mean, where nothing counts as less than 0.1."""
    return exp(fmean(log(max(value, 0.1)) for value in values))


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of one framework, at the published p0, of runs that came to their own end."""

    rows: Sequence[Row]
    runs: Mapping[tuple[str, str], Sequence[Row]]
    """By case and algorithm: one for each seed."""

    @classmethod
    def of(cls, rows: Iterable[Row], framework: str) -> Results:
        """Choose among all rows those that can be compared."""
        chosen = [
            row for row in rows if row.framework == framework and row.p0 == P0.get(row.suite, 0.1)
        ]
        runs: dict[tuple[str, str], list[Row]] = {}
        for row in chosen:
            runs.setdefault((row.case, row.algorithm), []).append(row)
        return cls(chosen, runs)

    @property
    def algorithms(self) -> list[str]:
        """Those that were run: the literature's in order, then whatever else there is."""
        names = dict.fromkeys([*ALGORITHMS, *sorted({row.algorithm for row in self.rows})])
        return [name for name in names if any(row.algorithm == name for row in self.rows)]

    @property
    def suites(self) -> list[str]:
        return [suite for suite in EVERY if any(row.suite == suite for row in self.rows)]

    def figure(self, case: str, algorithm: str, metric: str) -> float | None:
        """Return the geometric mean over seeds; None unless all runs ended at a fixpoint."""
        runs = self.runs.get((case, algorithm), ())
        if not runs or any(row.end != "fixpoint" for row in runs):
            return None
        return geometric(getattr(row, metric) for row in runs)

    def cases(self, suite: str, algorithms: Iterable[str] = ()) -> list[str]:
        """Return the cases of a suite, or of all, that each of the algorithms finished."""
        needed = list(algorithms) or self.algorithms
        found = {row.case: row.tokens_before for row in self.rows if suite in {row.suite, ALL}}
        return [
            case
            for case in sorted(found, key=lambda case: (found[case], case))
            if all(self.figure(case, name, "tokens") is not None for name in needed)
        ]

    def mean(self, suite: str, algorithm: str, metric: str) -> float:
        """Return the geometric mean over the cases that every algorithm finished."""
        values = [self.figure(case, algorithm, metric) for case in self.cases(suite)]
        return geometric(value for value in values if value is not None)


def number(value: float | None) -> str:
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
    """Return geometric means, a line an algorithm, a column a suite and all."""
    columns = [*results.suites, ALL]
    rows = [
        [name, *(number(results.mean(suite, name, metric)) for suite in columns)]
        for name in results.algorithms
    ]
    head = [metric, *(f"{suite} ({len(results.cases(suite))})" for suite in columns)]
    return table(head, rows)


def p_value(results: Results, suite: str, one: str, other: str, metric: str) -> float | None:
    """Return the two-sided Wilcoxon signed-rank p-value over the cases both finished.

    None where there are too few cases that differ for it to mean anything.
    """
    pairs = [
        (results.figure(case, one, metric), results.figure(case, other, metric))
        for case in results.cases(suite, (one, other))
    ]
    differ = [(a, b) for a, b in pairs if a is not None and b is not None and a != b]
    if len(differ) < FEWEST:
        return None
    return float(wilcoxon(*zip(*differ, strict=True)).pvalue)


def p_values(results: Results, suite: str, metric: str) -> str:
    """Return the p-values of every two algorithms; bold under 0.05."""
    names = results.algorithms
    rows = [
        [
            name,
            *("" for _ in names[1 : at + 1]),
            *(_cell(p_value(results, suite, name, other, metric)) for other in names[at + 1 :]),
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
    """Return, a line a pair, the ratio of the means and the p-value for each suite and all."""
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
                p = p_value(results, suite, one, other, metric)
                cells.append(f"{ratio:.2f} (p {_cell(p)}, n {len(both)})")
            else:
                cells.append("")
        rows.append([f"{one} / {other}", *cells])
    return table([metric, *columns], rows)


def kinds(results: Results, suite: str) -> str:
    """Return how often each kind of query was asked and succeeded, a line an algorithm."""
    rows = []
    for name in results.algorithms:
        asked, succeeded = counts(results, suite, name)
        total = sum(asked.values())
        cells = [
            f"{succeeded[kind]:,.0f} / {asked[kind]:,.0f}{_rate(succeeded[kind], asked[kind])}"
            for kind in KINDS
        ]
        went = sum(succeeded.values())
        rows.append([name, *cells, f"{went:,.0f} / {total:,.0f}{_rate(went, total)}"])
    return table([suite, *KINDS, "all"], rows)


def counts(results: Results, suite: str, name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the queries by kind, asked and succeeded: summed over cases, averaged over seeds."""
    compared = set(results.cases(suite))
    runs = [row for row in results.rows if row.algorithm == name and row.case in compared]
    seeds = len({row.seed for row in runs}) or 1
    asked = {kind: sum(getattr(row, kind) for row in runs) / seeds for kind in KINDS}
    succeeded = {
        kind: sum(getattr(row, f"{kind}_succeeded") for row in runs) / seeds for kind in KINDS
    }
    return asked, succeeded


def _rate(part: float, whole: float) -> str:
    return f" ({part / whole:.1%})" if whole else ""


def looseness(results: Results) -> str:
    """Return how many lists were left with single elements that could still go."""
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


def sweep(rows: Iterable[Row], cases: Sequence[str], algorithms: Sequence[str]) -> str:
    """Return the mean queries and tokens for every p0 that all of these cases were run with."""
    chosen = [row for row in rows if row.case in cases and row.framework == "hdd"]
    lines = []
    for p0 in sorted({row.p0 for row in chosen}):
        cells = []
        for name in algorithms:
            runs = [row for row in chosen if (row.p0, row.algorithm) == (p0, name)]
            if {row.case for row in runs} == set(cases):
                for metric in ("queries", "tokens"):
                    cells.append(number(geometric(getattr(row, metric) for row in runs)))
        if len(cells) == 2 * len(algorithms):
            lines.append([f"{p0}", *cells])
    return table(
        ["p0", *(f"{m}, {name}" for name in algorithms for m in ("queries", "tokens"))], lines
    )
