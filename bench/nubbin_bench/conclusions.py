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

    The word *significantly* stands only where the p-value, corrected for all tests of the page, is
    under 0.05 and the interval of the ratio excludes 1. Suites with too few cases are named last.
    """
    parts = [_part(each, family) for each in comparisons if each.interval]
    few = [f"{each.suite} ({each.cases})" for each in comparisons if not each.interval]
    if few:
        parts.append(f"too few cases to judge: {', '.join(few)}")
    return f"{'; '.join(parts)}."


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
        says = "a difference case by case, but none in the mean"
    return f"{where} {says} ({ratio(compared)})"


def _doubt(compared: Comparison, family: Family) -> str:
    """Return why a difference in the mean is not significant."""
    if compared.p_value is None:
        return "but too few cases differ to test it"
    if family.corrected_if(compared, compared.least_p_value) >= LEVEL:
        cases = compared.cases
        return (
            f"on {_agreeing(compared)} of the {cases} cases (p {compared.p_value:.2g} alone; "
            f"none of {cases} cases can survive the correction for {len(family)} tests)"
        )
    return "which does not survive the correction"


def _agreeing(compared: Comparison) -> int:
    """Return on how many cases the difference has the direction of the mean."""
    sign = 1 if compared.ratio > 1 else -1
    return sum(sign * each > 0 for sample in compared.samples for each in sample)


def is_significant(compared: Comparison, family: Family) -> bool:
    """Tell whether the p-value, corrected for all tests of the page, is under 0.05."""
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
    """Return the ratio and its interval or, without one, the least and greatest of a case."""
    if compared.interval:
        low, high = compared.interval
        return f"{compared.ratio:.2f} [{low:.2f}, {high:.2f}]"
    if compared.cases == 1:
        return f"{compared.ratio:.2f}"
    least, greatest = compared.extremes
    return f"{compared.ratio:.2f}, from {least:.2f} to {greatest:.2f}"


def figures(compared: Comparison, family: Family) -> str:
    """Return a comparison for a cell of a table: ratio, interval, A12, p-value and cases.

    It is bold if it is significant. Without an interval: ratio, least and greatest, and cases.
    """
    if compared.interval is None:
        return f"{ratio(compared)}, n {compared.cases}"
    p = family.corrected(compared, compared.p_value)
    tested = "" if p is None else f", p {p:.2g}"
    text = f"{ratio(compared)}, A {compared.share:.2f}{tested}, n {compared.cases}"
    return f"**{text}**" if is_significant(compared, family) else text


def brief(comparisons: Sequence[Comparison], family: Family) -> str:
    """Return ratio and interval for each comparison that has one, bold if it is significant."""
    parts = []
    for each in comparisons:
        if each.interval:
            text = f"{each.suite} {ratio(each)}"
            parts.append(f"**{text}**" if is_significant(each, family) else text)
    return ", ".join(parts) or "too few cases to judge"
