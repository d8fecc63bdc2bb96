"""The oracle protocol: a callable from candidate files to an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nubbin.oracles.isolation.candidate_files import Files
from nubbin.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Answer:
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


class Oracle(Protocol):
    """Answers queries; may be called from several threads at once."""

    def __call__(self, files: Files) -> Answer:
        """Run the user's test once on a candidate.

        Raises `concurrent.futures.CancelledError` if the query was cancelled while it ran
        (see `nubbin.oracles.processes.cancellation`), and NubbinError if the test cannot be run.
        """

    def explain(self, files: Files) -> Answer:
        """As a call, and keep some of what the test prints."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate on disk."""

    #: The folder of its query.
    folder: str
    #: Its own absolute path, in that folder.
    path: str
    #: Whether it is one file, and not a folder.
    single: bool


class Runner(Protocol):
    """Runs a test; may be called from several threads at once."""

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once, for at most `limit` seconds (None: no limit).

        With `explain`, keep what it prints. Returns early if the query of the thread is cancelled;
        the answer is then meaningless. Raises NubbinError if the test cannot be run.
        """

    def close(self) -> None:
        """End what is left between queries, by default nothing; called once."""
        return
