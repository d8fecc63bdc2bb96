"""The oracle protocol: a callable from candidate files to an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nubbin.oracles.isolation.candidate_files import Files
from nubbin_core.answer import Answer


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
