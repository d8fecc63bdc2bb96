"""What an oracle can answer."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """The oracle's answer to one query.

    Only `INTERESTING` lets a candidate become the new best; `UNRESOLVED` (a time-out, out of
    memory, the test's own "cannot say") is no proof that the candidate is uninteresting.
    """

    INTERESTING = "interesting"
    UNINTERESTING = "uninteresting"
    UNRESOLVED = "unresolved"


#: The exit code by which a test says that it cannot tell, as `git bisect run` has it.
CANNOT_SAY = 125

#: The exit code by which a test says that the input misbehaves, but in another way.
DIFFERENT = 101
