"""Greedy deletion that never goes back: MacIver, "Linear time (ish) test case reduction"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Linear(NamedTuple):
    """Remove one element at a time; after a success stay at the same index.

    The passes over the list repeat until one removes nothing, so the result is 1-minimal. Costs
    N + K queries if K elements are essential and no removal makes another possible; O(N^2) at worst
    (MacIver, second listing).
    """

    kept: Subset
    at: int = 0
    is_shorter: bool = False  # whether this pass has removed anything

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Linear:
        return cls(kept)

    def ask(self) -> tuple[Query, ...]:
        if self.at >= len(self.kept):
            return ()
        return (Query(self.kept.without(self.at, self.at + 1), "single"),)

    def tell(self, answers: tuple[bool, ...]) -> Linear:
        """Remove the element or skip it; begin again after a pass that removed something."""
        (accepted,) = answers
        if accepted:
            after = self._replace(kept=self.ask()[0].kept, is_shorter=True)
        else:
            after = self._replace(at=self.at + 1)
        return Linear(after.kept) if after.is_shorter and after.at >= len(after.kept) else after
