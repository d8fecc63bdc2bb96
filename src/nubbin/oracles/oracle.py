"""What an oracle is: a callable from candidate files to an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nubbin.oracles.candidate_files import Files
from nubbin.oracles.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Answer:
    """What one query told.

    `seconds` is the wall time of the test alone. `exit_code` is the test's exit status, or
    minus the number of the signal that ended it, or None where no process was run; after a
    time-out it says how the process was ended, not what the test meant. `output` is what the
    test printed on stdout and stderr, capped, where the query was asked to keep it. `exceeded`
    names what the test took too much of, besides time, and was ended for. A `cold` answer came
    from a server that had to start first: its seconds are not those of a run. A `different` one is
    about a candidate that misbehaves in another way, and uninteresting.
    """

    verdict: Verdict
    seconds: float
    exit_code: int | None
    timed_out: bool
    output: bytes = b""
    cold: bool = False
    exceeded: str | None = None
    different: bool = False


class Oracle(Protocol):
    """Answers queries; may be called from several threads at once."""

    def __call__(self, files: Files) -> Answer:
        """Run the user's test once on a candidate.

        Raises `concurrent.futures.CancelledError` when the query was cancelled while it ran
        (see `nubbin.oracles.cancellation`), and an oracle's own errors when the test could
        not be run at all.
        """

    def explain(self, files: Files) -> Answer:
        """As a call, and keep some of what the test prints."""
