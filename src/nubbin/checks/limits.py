"""How long does a run take, and when is it stopped?"""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.checks.in_words import seconds_in_words

_SLOW_S = 10.0


def limits(case: Case) -> Iterator[Finding]:
    """Tell the time of the runs so far, and the limit; costs no run."""
    seconds = case.seconds
    if seconds is None:
        return
    stopped = "never stopped" if case.limit is None else f"stopped after {case.limit:.0f} s"
    memory = "" if case.spec.memory is None else f" or {case.spec.memory:,} bytes of memory"
    text = f"A run takes {seconds_in_words(seconds)} and is {stopped}{memory}."
    if seconds < _SLOW_S:
        yield Finding("limits", "fine", text)
        return
    hours = 1000 * seconds / max(case.jobs(), 1) / 3600
    yield Finding(
        "limits",
        "doubt",
        f"{text} A thousand queries take {hours:.1f} hours. Leave out what the bug does not need, "
        "or start a slow tool once, by --server or --python.",
    )
