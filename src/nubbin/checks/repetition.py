"""Check that the test gives the same answer each time, and report how long it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.checks.in_words import seconds_in_words

FLAKY = (
    "The test is flaky, so nubbin would run each candidate until it knows how often it fails. Make "
    "the test deterministic: fix seeds, the number of threads and the clock. Or let it run the "
    "tool several times, as --runs N does."
)

#: The input is run alone: five times, or until the time is over, but at least twice.
_RUNS = 5
_MAX_S = 10.0

_SLOW_S = 10.0


def repetition(case: Case) -> Iterator[Finding]:
    """Run the test on the input repeatedly, one run at a time; costs up to five runs."""
    begun = time.monotonic()
    while case.alone.runs < _RUNS and (case.alone.runs < 2 or time.monotonic() - begun < _MAX_S):
        case.run(case.document)
    yes, runs = case.alone
    text = f"One run at a time finds {case.document.title} interesting {yes} times of {runs}."
    if case.alone.agrees and yes:
        yield Finding("repetition", "fine", text)
    else:
        yield Finding("repetition", "problem", f"{text} {FLAKY}")


def limits(case: Case) -> Iterator[Finding]:
    """Report the time of the runs so far, and the limit; costs no run."""
    seconds = case.seconds
    if seconds is None:
        return
    stopped = "never stopped" if case.limit is None else f"stopped after {case.limit:.0f} s"
    memory = "" if case.spec.memory is None else f" or {case.spec.memory:,} bytes of memory"
    text = f"A run takes {seconds_in_words(seconds)} and is {stopped}{memory}."
    if seconds < _SLOW_S:
        yield Finding("limits", "fine", text)
        return
    hours = 1000 * seconds / case.pool.width / 3600
    yield Finding(
        "limits",
        "doubt",
        f"{text} A thousand queries take {hours:.1f} hours. Leave out what the bug does not need, "
        "or start a slow tool once, by --server or --python.",
    )
