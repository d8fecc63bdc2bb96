"""Greedy deletion that starts again: MacIver, "Linear time (ish) test case reduction"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Greedy(NamedTuple):
    """Delete one element at a time; after every success begin again at the first.

    The result is 1-minimal. If K of N elements are essential and no deletion unlocks another,
    it costs N queries, and one more for each pair of an essential element and a deletable one
    after it, so up to N K / 2 and more: the accidental quadratic of many reducers (MacIver,
    first listing, who says K^2). Kinds: `single`, and `revisit` for an element whose deletion
    was refused before.
    """

    kept: Subset
    at: int = 0
    refused: int = 0
    """The number of elements at the front that were refused at least once."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Greedy:
        """Return the state before the first query."""
        return cls(kept)

    def ask(self) -> tuple[Query, ...]:
        """Ask for the list without the element at the current index."""
        if self.at >= len(self.kept):
            return ()
        kind = "revisit" if self.at < self.refused else "single"
        return (Query(self.kept.without(self.at, self.at + 1), kind),)

    def tell(self, answers: tuple[bool, ...]) -> Greedy:
        """Go back to the front after a success, step on after a failure."""
        (interesting,) = answers
        if interesting:
            # If this element was refused before, the others that were are still there.
            refused = max(self.at, self.refused - 1)
            return Greedy(self.kept.without(self.at, self.at + 1), 0, refused)
        return self._replace(at=self.at + 1)
