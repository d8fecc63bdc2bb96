"""Report how long a run of the test takes, and when it is stopped."""

from __future__ import annotations

from nubbin.checks.case import Case, Finding
from nubbin.checks.in_words import stopped
from nubbin.text.figures import duration

_SLOW_S = 10.0


def limits(case: Case) -> Finding | None:
    """Report the time of the runs so far, and the limit; costs no run."""
    if not case.is_interesting and case.was_stopped:
        return Finding("problem", stopped(case))
    seconds = case.seconds
    if seconds is None:
        return None
    end = "never stopped" if case.limit is None else f"stopped after {case.limit:.0f} s"
    memory = "" if case.spec.memory is None else f" or {case.spec.memory:,} bytes of memory"
    text = f"A run takes {duration(seconds)} and is {end}{memory}."
    if seconds < _SLOW_S:
        return Finding("fine", text)
    hours = 1000 * seconds / case.pool.width / 3600
    return Finding(
        "doubt",
        f"{text} A thousand queries take {hours:.1f} hours. Leave out what the bug does not need, "
        "or start a slow tool once, by --server or --python.",
    )
