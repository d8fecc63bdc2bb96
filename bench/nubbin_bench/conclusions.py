"""What comparisons show, in words: computed from the figures, with the figures."""

from __future__ import annotations

from collections.abc import Sequence

from nubbin_bench.comparisons import Comparison
from nubbin_bench.family import LEVEL, Family

#: What a metric is called, if it is not called like its field in a row.
NAMES = {"asks": "queries and repeats"}

#: Less and more of a metric.
_LESS_MORE = {
    "tokens": ("smaller results", "larger results"),
    "queries": ("fewer queries", "more queries"),
    "asks": (f"fewer {NAMES['asks']}", f"more {NAMES['asks']}"),
    "attempts": ("fewer attempts", "more attempts"),
    "seconds": ("less time", "more time"),
}


def conclusion(comparisons: Sequence[Comparison], family: Family) -> str:
    """Return a sentence on two algorithms in one metric: a part for each comparison.

    The word *significantly* stands only where the p-value, corrected for the page's other tests, is
    under 0.05 and the interval of the ratio excludes 1. Suites with too few defects are named last.
    """
    parts = [_part(each, family) for each in comparisons if each.interval]
    few = [f"{each.suite} ({each.defects})" for each in comparisons if not each.interval]
    if few:
        parts.append(f"too few defects to judge: {', '.join(few)}")
    return f"{'; '.join(parts)}."


def primary(comparisons: Sequence[Comparison], family: Family) -> str:
    """Return the sentence on a page's primary hypothesis, the one test that is not corrected.

    It is that of the first comparison; the page has no other primary hypothesis.
    """
    for compared in comparisons[:1]:
        family.begin_with(compared)
        return f"`{compared.one}` over `{compared.other}`: {conclusion([compared], family)}"
    return "it has no runs in this record."


def _part(compared: Comparison, family: Family) -> str:
    where = f"on {compared.suite}"
    excludes_1, survives = _excludes_1(compared), is_significant(compared, family)
    says = _difference(compared) if excludes_1 else "no difference is shown"
    if len(compared.samples) > 1:
        where = f"over {len(compared.samples)} suites that weigh the same"
    elif excludes_1 and survives:
        says += ", significantly"
    elif excludes_1:
        says += f", {_doubt(compared, family)}"
    elif survives:
        says = "a difference defect by defect, but none in the mean"
    return f"{where} {says} ({ratio(compared)})"


def _doubt(compared: Comparison, family: Family) -> str:
    """Return why a difference in the mean is not significant."""
    if compared.p_value is None:
        return "but too few defects differ to test it"
    if family.begins_with(compared):
        return f"but the test does not confirm it (p {compared.p_value:.2g})"
    if family.corrected_if(compared, compared.least_p_value) >= LEVEL:
        defects = compared.defects
        return (
            f"on {_agreeing(compared)} of the {defects} defects (p {compared.p_value:.2g} alone; "
            f"none of {defects} defects can survive the correction for {len(family)} tests)"
        )
    return "which does not survive the correction"


def _agreeing(compared: Comparison) -> int:
    """Return on how many defects the difference has the direction of the mean."""
    sign = 1 if compared.ratio > 1 else -1
    return sum(sign * each > 0 for sample in compared.samples for each in sample)


def is_significant(compared: Comparison, family: Family) -> bool:
    """Tell whether the p-value, corrected for the page's other tests, is under 0.05."""
    p = family.corrected(compared, compared.p_value)
    return p is not None and p < LEVEL


def _excludes_1(compared: Comparison) -> bool:
    return compared.interval is not None and not compared.interval[0] <= 1 <= compared.interval[1]


def _difference(compared: Comparison) -> str:
    less, more = _LESS_MORE[compared.metric]
    if compared.ratio < 1:
        return f"{100 - 100 * compared.ratio:.0f} % {less}"
    return f"{100 * compared.ratio - 100:.0f} % {more}"


def ratio(compared: Comparison) -> str:
    """Return the ratio and its interval or, without one, the least and greatest of a defect."""
    if compared.interval:
        low, high = compared.interval
        return f"{compared.ratio:.2f} [{low:.2f}, {high:.2f}]"
    if compared.defects == 1:
        return f"{compared.ratio:.2f}"
    least, greatest = compared.extremes
    return f"{compared.ratio:.2f}, from {least:.2f} to {greatest:.2f}"


def number(compared: Comparison) -> str:
    """Return the number of defects, and of their cases if there are more of these."""
    more = f" ({compared.cases} cases)" if compared.cases > compared.defects else ""
    return f"n {compared.defects}{more}"


def figures(compared: Comparison, family: Family) -> str:
    """Return a comparison for a cell of a table: ratio, interval, A12, p-value and defects.

    Without an interval: ratio, least and greatest, and defects. There is a p-value, and it is bold
    if it is significant, only if the comparison is one of the tests that the page names.
    """
    if compared.interval is None:
        return f"{ratio(compared)}, {number(compared)}"
    p = family.named(compared, compared.p_value)
    tested = "" if p is None else f", p {p:.2g}"
    text = f"{ratio(compared)}, A {compared.share:.2f}{tested}, {number(compared)}"
    return f"**{text}**" if p is not None and p < LEVEL else text


def brief(comparisons: Sequence[Comparison]) -> str:
    """Return the ratio, its interval or its range, and the defects, for each comparison."""
    return "; ".join(f"{each.suite} {ratio(each)}, {number(each)}" for each in comparisons) or "–"
