"""What an oracle can answer, and the exit codes with a meaning."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """The oracle's answer to one query.

    Only an `INTERESTING` candidate can become the best. `UNRESOLVED` (a time-out, out of memory,
    the test's own "cannot say") does not prove that the candidate is uninteresting.
    """

    INTERESTING = "interesting"
    UNINTERESTING = "uninteresting"
    UNRESOLVED = "unresolved"


#: The exit code of a test that cannot say; the same as for `git bisect run`.
CANNOT_SAY = 125

#: The exit code of a test that sees a different bug.
DIFFERENT = 101
