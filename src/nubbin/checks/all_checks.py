"""All checks, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nubbin.checks.case import Case, Finding
from nubbin.checks.missing_files import failure_by_missing_files
from nubbin.checks.refusal import accepts_nothing, refusal
from nubbin_core.late import late

#: Yields its findings, which may be none.
Check = Callable[[Case], Iterator[Finding]]

#: Made before a reduction. A problem that one of these finds ends it.
NEEDED: tuple[Check, ...] = (refusal, accepts_nothing, failure_by_missing_files)

#: For a person who asks whether a test can be trusted.
ALL: tuple[Check, ...] = (
    refusal,
    late("nubbin.checks.disturbance:limits"),
    accepts_nothing,
    failure_by_missing_files,
    late("nubbin.checks.sensitivity:idle_program"),
    late("nubbin.checks.disturbance:repetition"),
    late("nubbin.checks.disturbance:disturbance"),
    late("nubbin.checks.sensitivity:sensitivity"),
)


def findings(case: Case, checks: tuple[Check, ...]) -> Iterator[Finding]:
    """Run the test on the input and on nothing, and yield the findings of some checks.

    Ends with the first problem of a check in `NEEDED`: later findings would make no sense.
    """
    case.begin()
    for check in checks:
        for finding in check(case):
            yield finding
            if finding.level == "problem" and check in NEEDED:
                return
