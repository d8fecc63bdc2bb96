"""Tables with the published figures of each benchmark beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nubbin.bench.artifact.published import published, published_sizes
from nubbin.bench.comparisons import Comparison, compared, log_ratio
from nubbin.bench.conclusions import figures
from nubbin.bench.family import Family
from nubbin.bench.markdown import table
from nubbin.bench.results import Results
from nubbin.bench.tables import METRICS, number

#: The algorithm that all others are compared with.
BASELINE = "ddmin"

#: What is compared, and its field in a row. Published tokens are those of the paper's rule.
_MEASURED = {
    "tokens": "paper_tokens",
    "words and marks": "tokens",
    "queries": "queries",
    "seconds": "seconds",
}

#: An algorithm's figure on each benchmark, and the baseline's.
_Pairs = list[tuple[float | None, float | None]]


def benchmarks(results: Results, suite: str, algorithms: Sequence[str]) -> str:
    """Return a row per benchmark: each figure as published, and as measured here.

    Tokens are those of the paper's rule; in brackets are words and single marks.
    Of a run that was cut by a limit, the figures are bounds: it needs at least these queries and
    seconds, and leaves at most these tokens.
    """
    before = {row.case: row for row in results.rows if row.suite == suite}
    rows = []
    for case, row in sorted(before.items()):
        size = number(published_sizes().get(case))
        whole = f"{size} / {number(row.paper_tokens_before)} ({number(row.tokens_before)})"
        pairs = (_pair(results, case, name, metric) for metric in METRICS for name in algorithms)
        rows.append([case, whole, *pairs])
    head = ["published / here", "before", *(f"{m}, {name}" for m in METRICS for name in algorithms)]
    return table(head, rows)


def _pair(results: Results, case: str, name: str, metric: str) -> str:
    """Return a figure as published, and as measured; tokens both ways."""
    there = number(published().get((case, name, metric)))
    here = _measured(results, case, name, _MEASURED[metric])
    if metric != "tokens":
        return f"{there} / {here}"
    return f"{there} / {here} ({_measured(results, case, name, metric)})"


def _measured(results: Results, case: str, name: str, metric: str) -> str:
    """Return a figure of a benchmark: of a cut run, with a sign that says which bound it is."""
    figure = results.figure(case, name, metric)
    cut = [row for row in results.runs.get((case, name), ()) if row.end != "fixpoint"]
    bound = getattr(cut[0], metric) if cut else None
    if figure is not None or bound is None:
        return number(figure)
    return f"{'≤' if metric.endswith('tokens') else '≥'} {number(bound)}"


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
    rows = []
    for metric, ours in _MEASURED.items():
        for name in algorithms:
            there: _Pairs = [
                (told.get((c, name, metric)), told.get((c, BASELINE, metric))) for c in common
            ]
            here: list[_Pairs] = [
                [(each.figure(c, name, ours), each.figure(c, BASELINE, ours)) for c in common]
                for each in frameworks.values()
            ]
            found = [_compared(pairs, name, metric, suite) for pairs in [there, *here]]
            columns = ["–" if each is None else figures(each, family) for each in found]
            rows.append([f"{metric}, {name} / {BASELINE}", *columns])
    return table([f"{suite} ({len(common)})", "published", *frameworks], rows)


def _compared(pairs: _Pairs, name: str, metric: str, suite: str) -> Comparison | None:
    """Compare with the baseline; None if there is no benchmark or a figure is unknown."""
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    if len(known) < len(pairs):
        return None
    return compared(name, BASELINE, metric, suite, [[log_ratio(*pair) for pair in known]])
