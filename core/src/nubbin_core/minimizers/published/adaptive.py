"""Blocks as long as they can be: MacIver, "Adaptive delta debugging"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset

#: A block grows by single elements up to this length: the article's `lo + 6`, exclusive.
MAX_LINEAR_LENGTH = 5


class Adaptive(NamedTuple):
    """At each index, find and delete the longest deletable block; then step over one element.

    A block grows by one element up to five, then by steps that double (to 6, 8, 12, 20, ...),
    and binary search finds the length between the last success and the first failure. Then the
    element that ended the block is known to stay, so the next index follows it. It passes
    over the list until a pass deletes nothing, so the result is 1-minimal.

    Costs a logarithm of a block's length for each block deleted and one query for each
    element kept, in every pass; never more than 8/7 of what deleting one by one takes.

    The article computes a block's whole length before it deletes the block. Here the elements
    that can go are deleted at once, which asks the same questions. Kinds: `single` for a block
    of one at a new index, `probe` up to five, `gallop` beyond, `bisect` between.
    """

    kept: Subset
    at: int = 0
    gone: int = 0
    """Length of the block deleted at this index so far."""
    refused: int | None = None
    """Length of the shortest block refused at this index, if any."""
    deleted: bool = False
    """Whether this pass has deleted anything."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Adaptive:
        """Return the state before the first query."""
        return cls(kept)

    def ask(self) -> tuple[Query, ...]:
        """Ask for a longer block to go."""
        if self.at >= len(self.kept):
            return ()
        length, kind = self._next_length()
        return (Query(self.kept.without(self.at, self.at + length - self.gone), kind),)

    def tell(self, answers: tuple[bool, ...]) -> Adaptive:
        """Lengthen the block, or bound it and step on when the bound is reached."""
        (interesting,) = answers
        length, _ = self._next_length()
        if interesting:
            kept = self.kept.without(self.at, self.at + length - self.gone)
            after = self._replace(kept=kept, gone=length, deleted=True)
        else:
            after = self._replace(refused=length)
        if after.refused == after.gone + 1:
            after = after._replace(at=after.at + 1, gone=0, refused=None)
        if after.at >= len(after.kept) and after.deleted:
            return Adaptive(after.kept)
        return after

    def _next_length(self) -> tuple[int, str]:
        """Return the length of the block to try next, and the kind of the attempt."""
        if self.refused is not None:
            return (self.gone + self.refused) // 2, "bisect"
        if self.gone < MAX_LINEAR_LENGTH:
            return self.gone + 1, "probe" if self.gone else "single"
        step = self.gone - MAX_LINEAR_LENGTH + 1
        return self.gone + min(step, len(self.kept) - self.at), "gallop"
