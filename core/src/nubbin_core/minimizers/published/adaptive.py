"""Adaptive delta debugging (MacIver): remove blocks that are as long as possible."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset

#: A block grows by single elements up to this length: the article's `lo + 6`, exclusive.
MAX_LINEAR_LENGTH = 5


class Adaptive(NamedTuple):
    """At each index, remove the longest block that can be removed; then skip one element.

    A block grows by one element up to five, then by steps that double (to 6, 8, 12, 20, ...).
    Binary search finds the length between the last success and the first failure. The element
    after the block is then needed, so the next index follows it. The passes over the list
    repeat until one removes nothing, so the result is 1-minimal.

    Each pass costs a logarithm of the length for each block removed, and one query for each
    element kept: at most 8/7 of the queries for single elements.

    The article computes a block's whole length before it removes the block. Here the elements are
    removed at once, with the same queries. Kinds: `single` for a block of one at a new index,
    `probe` up to five, `gallop` beyond, `bisect` between.
    """

    kept: Subset
    at: int = 0
    removed: int = 0  # length of the block removed at this index so far
    rejected: int | None = None  # length of the shortest block rejected at this index, if any
    is_shorter: bool = False  # whether this pass has removed anything

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Adaptive:
        return cls(kept)

    def ask(self) -> tuple[Query, ...]:
        if self.at >= len(self.kept):
            return ()
        length, kind = self._next_length()
        return (Query(self.kept.without(self.at, self.at + length - self.removed), kind),)

    def tell(self, answers: tuple[bool, ...]) -> Adaptive:
        """Extend the block, or bound its length; at the bound, go on to the next index."""
        (accepted,) = answers
        length, _ = self._next_length()
        if accepted:
            kept = self.ask()[0].kept
            after = self._replace(kept=kept, removed=length, is_shorter=True)
        else:
            after = self._replace(rejected=length)
        if after.rejected == after.removed + 1:
            after = after._replace(at=after.at + 1, removed=0, rejected=None)
        if after.at >= len(after.kept) and after.is_shorter:
            return Adaptive(after.kept)
        return after

    def _next_length(self) -> tuple[int, str]:
        """Return the length of the block to try next, and the kind of the query."""
        if self.rejected is not None:
            return (self.removed + self.rejected) // 2, "bisect"
        if self.removed < MAX_LINEAR_LENGTH:
            return self.removed + 1, "probe" if self.removed else "single"
        step = self.removed - MAX_LINEAR_LENGTH + 1
        return self.removed + min(step, len(self.kept) - self.at), "gallop"
