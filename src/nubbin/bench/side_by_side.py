"""Tables with the published figures of each benchmark beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nubbin.bench.artifact.published import published
from nubbin.bench.comparisons import Comparison, compared, log_ratio
from nubbin.bench.conclusions import figures
from nubbin.bench.family import Family
from nubbin.bench.markdown import table
from nubbin.bench.results import Results
from nubbin.bench.tables import METRICS, number

#: The algorithm that all others are compared with.
BASELINE = "ddmin"

#: An algorithm's figure on each benchmark, and the baseline's.
_Pairs = list[tuple[float | None, float | None]]


def benchmarks(results: Results, suite: str, algorithms: Sequence[str]) -> str:
    """Return a row per benchmark: each figure as published, and as measured here.

    Of a run that was cut by a limit, the figures are bounds: it needs at least these queries and
    seconds, and leaves at most these tokens.
    """
    cases = sorted({row.case for row in results.rows if row.suite == suite})
    rows = []
    for case in cases:
        pairs = (
            f"{number(published().get((case, name, metric)))} / "
            f"{_measured(results, case, name, metric)}"
            for metric in METRICS
            for name in algorithms
        )
        rows.append([case, *pairs])
    head = ["published / here", *(f"{m}, {name}" for m in METRICS for name in algorithms)]
    return table(head, rows)


def _measured(results: Results, case: str, name: str, metric: str) -> str:
    """Return a figure of a benchmark: of a cut run, with a sign that says which bound it is."""
    figure = results.figure(case, name, metric)
    cut = [row for row in results.runs.get((case, name), ()) if row.end != "fixpoint"]
    if figure is not None or not cut:
        return number(figure)
    sign = "≤" if metric == "tokens" else "≥"
    return f"{sign} {number(getattr(cut[0], metric))}"


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
    for metric in METRICS:
        for name in algorithms:
            there: _Pairs = [
                (told.get((c, name, metric)), told[c, BASELINE, metric]) for c in common
            ]
            here: list[_Pairs] = [
                [(each.figure(c, name, metric), each.figure(c, BASELINE, metric)) for c in common]
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
