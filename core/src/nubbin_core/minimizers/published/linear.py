"""Greedy deletion that never goes back: MacIver, "Linear time (ish) test case reduction"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Linear(NamedTuple):
    """Delete one element at a time; after a success stay at the same index.

    It passes over the list until a pass deletes nothing, so the result is 1-minimal. Costs N + K
    queries if K elements are essential and no deletion unlocks another; O(N^2) at worst
    (MacIver, second listing).
    """

    kept: Subset
    at: int = 0
    deleted: bool = False

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Linear:
        """Return the state before the first query."""
        return cls(kept)

    def ask(self) -> tuple[Query, ...]:
        """Ask for the list without the element at the current index."""
        if self.at >= len(self.kept):
            return ()
        return (Query(self.kept.without(self.at, self.at + 1), "single"),)

    def tell(self, answers: tuple[bool, ...]) -> Linear:
        """Stay here after a success, step on after a failure, begin again after a fruitful pass."""
        (interesting,) = answers
        if interesting:
            after = self._replace(kept=self.kept.without(self.at, self.at + 1), deleted=True)
        else:
            after = self._replace(at=self.at + 1)
        if after.at >= len(after.kept) and after.deleted:
            return after._replace(at=0, deleted=False)
        return after
