"""An answer that a minimizer needed, and how often each kind of query is answered with yes."""

from __future__ import annotations

from dataclasses import dataclass

from nubbin.oracles.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Answered:
    """A query of a minimizer: its kind, how many elements it kept, and the verdict.

    `seconds` is the time of the run of the test that answered it. Answers from the cache, and
    speculation that no minimizer needed, are not queries.
    """

    kind: str
    size: int
    verdict: Verdict
    seconds: float


@dataclass(slots=True)
class KindCount:
    """The queries of one kind: asked, and of these answered `interesting`."""

    asked: int = 0
    succeeded: int = 0

    def add(self, verdict: Verdict) -> None:
        """Count one answer."""
        self.asked += 1
        self.succeeded += verdict is Verdict.INTERESTING
