"""Tables with the published figures of each benchmark beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from statistics import fmean

from nubbin_bench.artifact.published import published, published_sizes
from nubbin_bench.comparisons import Comparison, compared, log_ratio
from nubbin_bench.conclusions import NAMES, figures
from nubbin_bench.family import Family
from nubbin_bench.markdown import table
from nubbin_bench.means import geometric
from nubbin_bench.results import Results
from nubbin_bench.rows import FIXPOINT, Row
from nubbin_bench.tables import METRICS, number

#: The algorithm that all others are compared with.
BASELINE = "ddmin"

#: Whose ratios are in a table: the metric's field in a row, and what was published of it. Published
#: tokens are those of the paper's rule, and published queries have repeats.
_COMPARED = {
    "tokens": ("paper_tokens", "tokens"),
    "words and marks": ("tokens", ""),
    "queries": ("queries", ""),
    NAMES["asks"]: ("asks", "queries"),
}

#: An algorithm's figure on each benchmark, and the baseline's.
_Pairs = list[tuple[float | None, float | None]]


def benchmarks(results: Results, suite: str, algorithms: Sequence[str]) -> str:
    """Return a row per benchmark, and their geometric mean: as published, and as measured here.

    Tokens are those of the paper's rule; in brackets are words and single marks.
    Of a run that was cut by a limit, the figures are bounds: it needs at least these queries and
    seconds, and leaves at most these tokens.
    """
    before = {row.case: row for row in results.rows if row.suite == suite}
    columns = [(metric, name) for metric in METRICS for name in algorithms]
    rows = [
        [case, _sizes([before[case]]), *(_pair(results, [case], name, m) for m, name in columns)]
        for case in sorted(before)
    ]
    if common := results.cases(suite, algorithms):
        means = [_sizes([before[case] for case in common])]
        means += [_pair(results, common, name, metric) for metric, name in columns]
        rows.append([f"**mean of {len(common)}**", *(f"**{mean}**" for mean in means)])
    head = ["published / here", "before", *(f"{metric}, {name}" for metric, name in columns)]
    return table(head, rows)


def _sizes(rows: Sequence[Row]) -> str:
    """Return the tokens of inputs: as published, by the paper's rule, and in words and marks."""
    there = _mean(published_sizes().get(row.case) for row in rows)
    here = _mean(row.paper_tokens_before for row in rows)
    return f"{number(there)} / {number(here)} ({number(_mean(row.tokens_before for row in rows))})"


def _pair(results: Results, cases: Sequence[str], name: str, metric: str) -> str:
    """Return a figure of benchmarks as published, and as measured; tokens both ways."""
    there = number(_mean(published().get((case, name, metric)) for case in cases))
    here = _measured(results, cases, name, metric)
    if metric != "tokens":
        return f"{there} / {here}"
    return f"{there} / {_measured(results, cases, name, 'paper_tokens')} ({here})"


def _measured(results: Results, cases: Sequence[str], name: str, metric: str) -> str:
    """Return a figure of benchmarks: of a cut run, with a sign that says which bound it is."""
    figure = _mean(results.figure(case, name, metric) for case in cases)
    runs = [row for case in cases for row in results.runs.get((case, name), ())]
    cut = [row for row in runs if row.end != FIXPOINT]
    bound = getattr(cut[0], metric) if cut else None
    if figure is not None or bound is None:
        return number(figure)
    return f"{'≤' if metric.endswith('tokens') else '≥'} {number(bound)}"


def _mean(figures: Iterable[float | None]) -> float | None:
    """Return the geometric mean; None if a figure is unknown."""
    known = list(figures)
    return None if None in known else geometric(each for each in known if each is not None)


def over_ours(rows: Iterable[Row], algorithm: str) -> str:
    """Return how many times as many questions were published as are asked here, with repeats.

    The geometric mean over the rows of an algorithm; published of CDD is its program.
    """
    told, name = published(), algorithm.removesuffix("-artifact")
    logs = [
        log_ratio(told[row.case, name, "queries"], row.asks)
        for row in rows
        if row.algorithm == algorithm and row.asks is not None
    ]
    return f"{exp(fmean(logs)):.1f} (n {len(logs)})" if logs else "–"


def ratios(
    frameworks: Mapping[str, Results], family: Family, suite: str, algorithms: Sequence[str]
) -> str:
    """Return each algorithm's figures over ddmin's: as published, and in each framework here.

    Ratios of geometric means over the benchmarks that all of them finished in all frameworks, as
    `figures` has them.
    """
    everyone, told = [BASELINE, *algorithms], published()
    common = sorted(
        set.intersection(*({*each.cases(suite, everyone)} for each in frameworks.values()))
    )
    rows, known = [], next(iter(frameworks.values())).defects
    defects = [known[case] for case in common]
    for metric, (ours, theirs) in _COMPARED.items():
        for name in algorithms:
            there: _Pairs = [
                (told.get((c, name, theirs)), told.get((c, BASELINE, theirs))) for c in common
            ]
            here: list[_Pairs] = [
                [(each.figure(c, name, ours), each.figure(c, BASELINE, ours)) for c in common]
                for each in frameworks.values()
            ]
            found = [_compared(pairs, defects, name, metric, suite) for pairs in [there, *here]]
            columns = ["–" if each is None else figures(each, family) for each in found]
            rows.append([f"{metric}, {name} / {BASELINE}", *columns])
    return table([f"{suite} ({len(common)})", "published", *frameworks], rows)


def _compared(
    pairs: _Pairs, defects: Sequence[str], name: str, metric: str, suite: str
) -> Comparison | None:
    """Compare with the baseline; None if there is no benchmark or a figure is unknown."""
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    if len(known) < len(pairs):
        return None
    logs = [log_ratio(*pair) for pair in known]
    return compared(name, BASELINE, metric, suite, [[*zip(defects, logs, strict=True)]])
