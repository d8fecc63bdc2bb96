"""Lithium: Ruderman's algorithm as Wang states it in "Analysis of Lithium's algorithm"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Lithium(NamedTuple):
    """Take away chunks of a power of two, halved from half the list down to single elements.

    Each size but 1 has one pass, which never goes back; size 1 goes round and round until as many
    attempts in a row have failed as elements are left. A list whose length is not a power of two
    counts as filled up with elements at its end, and chunks that hold only those are skipped.
    The empty subset counts as uninteresting: when one chunk is left, the next size begins.

    The result is then 1-minimal. With n = ceil(log2 N), and M elements left, m = ceil(log2 M):
    costs n + M - 1 queries at best, O(n + M) when the problem is monotone and the result one
    cluster, at most 2^(m+1) - 2 + M (2 (n - m) + 1) when it is only monotone, and at worst
    2^n - 2 + (N (N + 1) - M (M - 1)) / 2.
    """

    kept: Subset
    size: int
    at: int = 0
    """Position in the list of the chunk in question."""
    failures: int = 0
    """The number of attempts in a row that have failed at this size."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Lithium:
        """Return the state before the first query."""
        return cls(kept, (1 << max(len(kept) - 1, 0).bit_length()) // 2)

    def ask(self) -> tuple[Query, ...]:
        """Ask for the list without the current chunk."""
        if not self.size:
            return ()
        return (Query(self.kept.without(self.at, self.at + self.size), "complement"),)

    def tell(self, answers: tuple[bool, ...]) -> Lithium:
        """Drop the chunk or step over it."""
        (interesting,) = answers
        if interesting:
            after = self._replace(kept=self.kept.without(self.at, self.at + self.size), failures=0)
        else:
            after = self._replace(at=self.at + self.size, failures=self.failures + 1)
        return after.settled()

    def settled(self) -> Lithium:
        """Go round at the end of the list, or go to the next size after the last chunk."""
        left = len(self.kept)
        if self.size > 1:
            over = self.at >= left or left <= self.size
            return Lithium(self.kept, self.size // 2).settled() if over else self
        if left <= 1 or self.failures >= left:
            return Lithium(self.kept, 0)
        return self._replace(at=0) if self.at >= left else self
