"""What one run of the test said."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.verdict import Verdict


class Answer(NamedTuple):
    """The outcome of one run of the test."""

    verdict: Verdict
    #: Wall time of the test alone.
    seconds: float
    #: The exit status, or minus the number of the signal that ended the test, or None if a server
    #: answered. After a time-out it says how the process was killed, not what the test meant.
    exit_code: int | None
    timed_out: bool
    #: What the test printed on stdout and stderr, 64 KiB at most, if it was kept.
    output: bytes = b""
    #: Whether a server had to start first: the seconds are not those of a run.
    cold: bool = False
    #: What the test took too much of, besides time, and was killed for.
    exceeded: str | None = None
    #: Whether the candidate shows a different bug; it is uninteresting then.
    different: bool = False
    #: Whether it is uninteresting for an error of another kind, and for nothing else.
    other_error: bool = False
    #: Why it is not interesting, as the rest of a sentence about the test, if more than its end
    #: decides on that.
    why: str = ""
    #: The end of its output that was printed on stderr, if it is known.
    errors: bytes = b""
