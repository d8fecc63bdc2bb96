"""Lithium: Ruderman's algorithm as Wang states it in "Analysis of Lithium's algorithm"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Lithium(NamedTuple):
    """Remove chunks of a power of two elements, from half of the list down to single elements.

    Each size but 1 has one pass, which never goes back; the passes of size 1 repeat until as many
    attempts in a row have failed as there are elements. A list whose length is not a power of two
    counts as filled up with elements at its end, and chunks that contain only those are skipped.
    The empty subset counts as rejected: when one chunk is left, the next size begins.

    The result is 1-minimal. With n = ceil(log2 N), M elements in the result, m = ceil(log2 M):
    costs n + M - 1 queries at best, O(n + M) when the problem is monotone and the result one
    cluster, at most 2^(m+1) - 2 + M (2 (n - m) + 1) when it is only monotone, and at worst
    2^n - 2 + (N (N + 1) - M (M - 1)) / 2.
    """

    kept: Subset
    size: int
    at: int = 0  # the position of the chunk to try next
    failures: int = 0  # the number of attempts in a row that have failed at this size

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Lithium:
        return cls(kept, (1 << max(len(kept) - 1, 0).bit_length()) // 2)

    def ask(self) -> tuple[Query, ...]:
        if not self.size:
            return ()
        return (Query(self.kept.without(self.at, self.at + self.size), "complement"),)

    def tell(self, answers: tuple[bool, ...]) -> Lithium:
        (accepted,) = answers
        if accepted:
            return self._replace(kept=self.ask()[0].kept, failures=0)._settled()
        return self._replace(at=self.at + self.size, failures=self.failures + 1)._settled()

    def _settled(self) -> Lithium:
        """After the last chunk, repeat the pass of size 1, or go on to the next size."""
        left = len(self.kept)
        if self.size > 1:
            over = self.at >= left or left <= self.size
            return Lithium(self.kept, self.size // 2)._settled() if over else self
        if left <= 1 or self.failures >= left:
            return Lithium(self.kept, 0)
        return self._replace(at=0) if self.at >= left else self
