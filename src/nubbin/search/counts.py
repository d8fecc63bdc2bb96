"""How often each kind of query was asked, and how often it succeeded."""

from __future__ import annotations

from dataclasses import dataclass

from nubbin.oracles.verdict import Verdict


@dataclass(slots=True)
class KindCount:
    """The queries of one kind: asked, and of these answered `interesting`."""

    asked: int = 0
    succeeded: int = 0

    def add(self, verdict: Verdict) -> None:
        """Count one answer."""
        self.asked += 1
        self.succeeded += verdict is Verdict.INTERESTING
