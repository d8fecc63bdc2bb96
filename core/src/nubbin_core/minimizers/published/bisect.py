"""Repeated binary search: Wang, "Analysis of Lithium's algorithm", after Ruderman."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Bisect(NamedTuple):
    """Find one essential element after another, each by binary search.

    All elements before the first essential one can be removed, and no more. Binary search finds
    that border, and then the next one behind it. In a monotone problem the result is minimal;
    otherwise nothing is proved about it. Costs at most M ceil(log2 N) + ceil(log2(N + 1)) queries
    for M elements found among N, since only the last search may find nothing.
    """

    kept: Subset
    at: int  # the number of elements at the front that are known to be essential
    most: int  # an upper bound of the elements after those that can be removed

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Bisect:
        """Return the state before the first query; it takes the empty subset to be rejected."""
        return cls(kept, 0, len(kept) - 1)._stepped()

    def ask(self) -> tuple[Query, ...]:
        """Try to remove the nearer half of the elements in question."""
        if self.at >= len(self.kept):
            return ()
        return (Query(self.kept.without(self.at, self.at + self._half), "probe"),)

    def tell(self, answers: tuple[bool, ...]) -> Bisect:
        """Halve the range that contains the border."""
        (accepted,) = answers
        if not accepted:
            return self._replace(most=self._half - 1)._stepped()
        return self._replace(kept=self.ask()[0].kept, most=self.most - self._half)._stepped()

    @property
    def _half(self) -> int:
        return (self.most + 1) // 2

    def _stepped(self) -> Bisect:
        """Skip the next element if it is known to be essential."""
        if self.most > 0 or self.at >= len(self.kept):
            return self
        return Bisect(self.kept, self.at + 1, len(self.kept) - self.at - 1)
