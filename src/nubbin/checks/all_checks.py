"""All checks, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.checks.case import Case, Check, Finding
from nubbin.checks.missing_files import failure_by_missing_files
from nubbin.checks.refusal import LIMITS, accepts_nothing, refusal
from nubbin_core.late import late

#: Made before a reduction. A problem that one of these finds ends it.
NEEDED = (
    Check("refusal", refusal),
    Check("empty-input", accepts_nothing),
    Check("missing-files", failure_by_missing_files),
)

#: For a person who asks whether a test can be trusted.
ALL = (
    NEEDED[0],
    LIMITS,
    *NEEDED[1:],
    Check("idle-program", late("nubbin.checks.idle_program:idle_program")),
    Check("repetition", late("nubbin.checks.repetition:repetition")),
    Check("disturbance", late("nubbin.checks.disturbance:disturbance")),
    Check("sensitivity", late("nubbin.checks.sensitivity:sensitivity")),
    Check("sensitivity", late("nubbin.checks.sensitivity:accepts_shuffled")),
)


def findings(case: Case, checks: tuple[Check, ...]) -> Iterator[Finding]:
    """Run the test on the input and on nothing, and yield the findings of some checks.

    Ends with the first problem of a check in `NEEDED`: later findings would make no sense.
    """
    case.begin()
    for check in checks:
        if finding := check(case):
            yield finding
            if finding.level == "problem" and check in NEEDED:
                return
