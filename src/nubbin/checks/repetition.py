"""Does the test say the same each time?"""

from __future__ import annotations

import time
from collections.abc import Iterator

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding

FLAKY = (
    "The test is flaky: each candidate would be run until it is known whether it is as good. Make "
    "it answer the same each time: fix seeds, the number of threads and the clock, or run the tool "
    "several times in it; or give --runs N, which does the latter."
)

#: The input is run alone: five times, or until the time is over, but at least twice.
_RUNS = 5
_MAX_S = 10.0


def repetition(case: Case) -> Iterator[Finding]:
    """Run the test on the input again and again, one run at a time; costs up to five runs."""
    begun = time.monotonic()
    while case.alone.runs < _RUNS and (case.alone.runs < 2 or time.monotonic() - begun < _MAX_S):
        case.run(case.document)
    yes, runs = case.alone
    text = f"One run at a time finds {case.document.title} interesting {yes} times of {runs}."
    if case.alone.agrees and yes:
        yield Finding("repetition", "fine", text)
    else:
        yield Finding("repetition", "problem", f"{text} {FLAKY}")
