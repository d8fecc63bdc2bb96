"""The runner protocol: runs one kind of test on a candidate that is already on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nubbin.oracles.oracle import Answer


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
        """End whatever runs; called once."""
