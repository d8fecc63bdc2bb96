"""The answer of one run of the test."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.verdict import Verdict


class Answer(NamedTuple):
    """The outcome of one run of the test."""

    verdict: Verdict
    #: Wall time of the test alone.
    seconds: float = 0.0
    #: The exit status, minus the number of the signal that ended the test, or None if a server
    #: answered. After a time-out it tells how nubbin killed the process.
    exit_code: int | None = None
    timed_out: bool = False
    #: The output of the test on stdout and stderr, 64 KiB at most, if it was kept.
    output: bytes = b""
    #: Whether a server had to start first, so that `seconds` is not the time of a run alone.
    cold: bool = False
    #: The resource besides time that the test used too much of, so that it was killed.
    exceeded: str | None = None
    #: Whether the candidate shows a different failure; then it is uninteresting.
    different: bool = False
    #: Whether it is uninteresting only because its error is of another kind.
    other_error: bool = False
    #: Why it is not interesting, as the rest of a sentence about the test, if more than the exit
    #: status decides.
    why: str = ""
    #: The end of its output on stderr, if that is known.
    errors: bytes = b""
