"""The journal of a reduction that is not recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from nubbin.journal.tally import Tally
from nubbin.oracles.oracle import Answer
from nubbin.oracles.verdict import Verdict


class NullJournal:
    """Has the methods of `nubbin.journal.journal.Journal`, and keeps nothing."""

    folder = None
    facts = None
    tally = None
    best: ClassVar[dict[str, bytes]] = {}

    def tell(self, **facts: Any) -> None:
        """Forget facts about the run."""

    def tell_tally(self, tally: Tally) -> None:
        """Forget a tally."""

    def note(self, key: bytes, answer: Answer, yes: int, runs: int) -> None:
        """Forget an answer."""

    def verdicts(self, timeout: float | None = None) -> Iterator[tuple[bytes, Verdict, float]]:
        """Yield nothing."""
        return iter(())

    def trials(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield nothing."""
        return iter(())

    def accept(self, key: bytes, files: Mapping[str, bytes], queries: int, pass_name: str) -> bool:
        """Return that a candidate is new."""
        return True

    def go_back(self, key: bytes) -> None:
        """Do nothing."""

    def start_over(self, *, answers: bool) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
