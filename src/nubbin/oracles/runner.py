"""What differs between the kinds of tests: how one is run on a candidate that lies ready."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nubbin.oracles.oracle import Answer


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate on disk: the folder of its query, its own path there, and if it is one file."""

    folder: str
    path: str
    single: bool


class Runner(Protocol):
    """Runs a test; may be called from several threads at once."""

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once, for at most `limit` seconds; with `explain`, keep what it prints.

        Comes back early if the switch of the thread is thrown; the answer is then nobody's.
        Raises UnusableTest if the test cannot be run.
        """

    def close(self) -> None:
        """End whatever runs; once is enough."""
