"""1-minimality: lists of which single elements could still go, here and in the paper."""

from __future__ import annotations

from collections.abc import Iterator

from scipy.stats import fisher_exact

from nubbin_bench.family import LEVEL, Family
from nubbin_bench.markdown import table
from nubbin_bench.results import Results

#: Finding 5 of Zhang et al.: ProbDD's lists on C programs, and those that were not 1-minimal.
_PUBLISHED_LISTS, _PUBLISHED_LOOSE = 6_871, 76
_PUBLISHED_SUITE, _PUBLISHED_ALGORITHM = "programs", "probdd"


def looseness(results: Results) -> str:
    """Return how many lists kept single elements that could still go, by algorithm and suite."""
    rows = []
    for name, suite, lists, loose in _counts(results):
        runs = [row for row in results.rows if (row.algorithm, row.suite) == (name, suite)]
        each = sum(row.removable for row in runs) / loose if loose else 0.0
        last = sum(row.loose_last for row in runs)
        figures = [f"{lists:,}", f"{loose:,}", f"{loose / lists:.1%}", f"{each:.1f}", f"{last}"]
        rows.append([f"{name}, {suite}", *figures])
    return table(["", "lists", "not 1-minimal", "share", "elements each", "in the last lap"], rows)


def _counts(results: Results) -> Iterator[tuple[str, str, int, int]]:
    """Yield algorithm, suite, lists, and lists that were not 1-minimal."""
    for name in results.algorithms:
        for suite in results.suites:
            runs = [row for row in results.rows if (row.algorithm, row.suite) == (name, suite)]
            lists = sum(row.lists for row in runs)
            if lists:
                yield name, suite, lists, sum(row.loose for row in runs)


def against_published(results: Results, family: Family) -> str:
    """Return a sentence that compares the suite of C programs with the paper's, like with like."""
    for name, suite, lists, loose in _counts(results):
        if (name, suite) == (_PUBLISHED_ALGORITHM, _PUBLISHED_SUITE):
            rest = _PUBLISHED_LISTS - _PUBLISHED_LOOSE
            counts = ((loose, lists - loose), (_PUBLISHED_LOOSE, rest))
            alone = float(fisher_exact(counts).pvalue)
            p = family.corrected(("loose", counts), alone) or 0.0
            here, there = loose / lists, _PUBLISHED_LOOSE / _PUBLISHED_LISTS
            says = "no difference is shown"
            if p < LEVEL:
                says = f"significantly {'more' if here > there else 'fewer'} here"
            return (
                f"Of {suite}, {loose:,} of {lists:,} lists that {name} minimized here "
                f"({100 * here:.1f} %) are not 1-minimal, and {_PUBLISHED_LOOSE} of "
                f"{_PUBLISHED_LISTS:,} in the paper ({100 * there:.1f} %): "
                f"{says} (Fisher's exact test, p {alone:.2g}; with Holm's correction for the "
                f"{len(family)} tests of this page {p:.2g})."
            )
    return f"No list of {_PUBLISHED_SUITE} was minimized by {_PUBLISHED_ALGORITHM}, to compare."


def last_laps(results: Results) -> str:
    """Return a sentence on the lists of the last lap, which are those of the final result."""
    left: dict[str, int] = {}
    for name, suite, _, _ in _counts(results):
        runs = [row for row in results.rows if (row.algorithm, row.suite) == (name, suite)]
        left[name] = left.get(name, 0) + sum(row.loose_last for row in runs)
    clean = [name for name, loose in left.items() if not loose]
    others = [f"{name} ({loose:,})" for name, loose in left.items() if loose]
    parts = [f"none of {', '.join(clean)}"] if clean else []
    parts += [f"some of {', '.join(others)}"] if others else []
    return f"Lists that are not 1-minimal in the last lap: {'; '.join(parts)}."
