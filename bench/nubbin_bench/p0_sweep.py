"""How queries and sizes depend on p0: means, and ratios to those at the published p0."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from nubbin.research import HDD
from nubbin_bench.comparisons import Comparison, compared, log_ratio
from nubbin_bench.conclusions import figures
from nubbin_bench.family import Family
from nubbin_bench.markdown import table
from nubbin_bench.means import geometric
from nubbin_bench.rows import Row
from nubbin_bench.suites import P0
from nubbin_bench.tables import number

_METRICS = ("queries", "tokens")

#: The rows of a case, by p0 and algorithm.
_Runs = dict[tuple[float, str], dict[str, list[Row]]]


def sweep(
    rows: Iterable[Row], family: Family, suites: Collection[str], algorithms: Sequence[str]
) -> str:
    """Return the figures for every p0, over the cases run with each of them."""
    runs: _Runs = {}
    for row in rows:
        if row.suite in suites and row.framework == HDD and row.algorithm in algorithms:
            runs.setdefault((row.p0, row.algorithm), {}).setdefault(row.case, []).append(row)
    cases = set[str].intersection(*map(set, runs.values())) if runs else set()
    lines = []
    for p0 in sorted({p0 for p0, _ in runs}):
        cells = []
        for name in algorithms:
            for metric in _METRICS:
                mean = geometric(_figure(runs[p0, name][case], metric) for case in sorted(cases))
                found = _to_published(runs, sorted(cases), p0, name, metric)
                cells += [number(mean), figures(found, family) if found else ""]
        lines.append([f"{p0}", *cells])
    head = [each for name in algorithms for m in _METRICS for each in (f"{m}, {name}", "ratio")]
    return table([f"p0 ({len(cases)} cases)", *head], lines)


def _figure(runs: Sequence[Row], metric: str) -> float:
    return geometric(getattr(row, metric) for row in runs)


def _to_published(
    runs: _Runs, cases: Sequence[str], p0: float, name: str, metric: str
) -> Comparison | None:
    """Compare with the published p0; None if this is it, or if there is none in the record."""
    samples: dict[str, list[float]] = {}
    for case in cases:
        here = runs[p0, name][case]
        suite = here[0].suite
        published = P0.get(suite, 0.1)
        if p0 == published or (published, name) not in runs:
            return None
        there = runs[published, name][case]
        ratio = log_ratio(_figure(here, metric), _figure(there, metric))
        samples.setdefault(suite, []).append(ratio)
    logs = [*samples.values()]
    return compared(f"{name}, {p0}", f"{name}, published", metric, ", ".join(samples), logs)
