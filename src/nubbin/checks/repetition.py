"""Check that runs of the test agree, one after the other."""

from __future__ import annotations

import time

from nubbin.checks.case import Case, Finding
from nubbin.checks.in_words import FLAKY

#: The input is run alone: five times, or until the time is over, but at least twice.
_RUNS = 5
_MAX_S = 10.0


def repetition(case: Case) -> Finding:
    """Run the test on the input repeatedly, one run at a time; costs up to five runs."""
    begun = time.monotonic()
    while case.alone.runs < _RUNS and (case.alone.runs < 2 or time.monotonic() - begun < _MAX_S):
        case.run(case.document)
    yes, runs = case.alone
    text = f"One run at a time, the test accepts {case.document.title} in {yes} of {runs} runs."
    if case.alone.agrees and yes:
        return Finding("fine", text)
    return Finding("problem", f"{text} {FLAKY}")
