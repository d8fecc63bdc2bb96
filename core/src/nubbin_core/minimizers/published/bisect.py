"""Repeated binary search: Wang, "Analysis of Lithium's algorithm", after Ruderman."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Bisect(NamedTuple):
    """Find the essential elements one after the other, each by binary search.

    Everything before the first essential element can be deleted, and nothing more: to find that
    border takes a logarithm of questions. Then the same after that element. In a monotone problem
    the result is minimal; in any other it is only interesting. Costs at most
    M ceil(log2 N) + ceil(log2(N + 1)) queries for M elements found among N, since only the
    last search may find nothing.
    """

    kept: Subset
    at: int
    """The number of elements at the front that are known to be essential."""
    most: int
    """The number of elements after those that can go at most."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Bisect:
        """Return the state before the first query; the empty subset counts as uninteresting."""
        return cls(kept, 0, len(kept) - 1)._stepped()

    def ask(self) -> tuple[Query, ...]:
        """Ask whether the nearer half of what may go can go."""
        if self.at >= len(self.kept):
            return ()
        return (Query(self.kept.without(self.at, self.at + self._half), "probe"),)

    def tell(self, answers: tuple[bool, ...]) -> Bisect:
        """Halve the range in which the border lies."""
        (interesting,) = answers
        if interesting:
            kept = self.kept.without(self.at, self.at + self._half)
            after = self._replace(kept=kept, most=self.most - self._half)
        else:
            after = self._replace(most=self._half - 1)
        return after._stepped()

    @property
    def _half(self) -> int:
        return (self.most + 1) // 2

    def _stepped(self) -> Bisect:
        """Step over an element known to be essential."""
        if self.most > 0 or self.at >= len(self.kept):
            return self
        return Bisect(self.kept, self.at + 1, len(self.kept) - self.at - 1)
