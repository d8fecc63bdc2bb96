"""Greedy deletion, two listings: MacIver, "Linear time (ish) test case reduction"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Greedy(NamedTuple):
    """Remove one element at a time; after every success begin again at the first.

    The result is 1-minimal. If K of N elements are essential and no removal makes another
    possible, it costs N queries, and one more for each pair of an essential element and a
    removable one after it. That is up to N K / 2 and more: the accidental quadratic of many
    reducers (MacIver, first listing, who says K^2). Kinds: `single`, and `revisit` for an element
    whose removal was rejected before.
    """

    kept: Subset
    at: int = 0
    rejected: int = 0  # the elements at the front that were rejected at least once

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Greedy:
        return cls(kept)

    def ask(self) -> tuple[Query, ...]:
        if self.at >= len(self.kept):
            return ()
        kind = "revisit" if self.at < self.rejected else "single"
        return (Query(self.kept.without(self.at, self.at + 1), kind),)

    def tell(self, answers: tuple[bool, ...]) -> Greedy:
        """Go back to the front after a success, to the next element after a failure."""
        (accepted,) = answers
        if not accepted:
            return self._replace(at=self.at + 1)
        # If this element was rejected before, the others that were are still there.
        return Greedy(self.ask()[0].kept, 0, max(self.at, self.rejected - 1))


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
