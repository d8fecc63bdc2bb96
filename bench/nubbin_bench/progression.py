"""Progression: Marques-Silva, Janota and Belov, "Minimal sets over monotone predicates", 2013."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers import Query, Settings, Subset


class Progression(NamedTuple):
    """Take away chunks of 1, 2, 4, ... elements; in a chunk that has to stay, search by halves.

    The search finds the first essential element from the end, and what is behind it goes. Then the
    chunks begin again with a single element before that one. As in MUSer2, the program of the
    authors, the chunks come from the end.

    In a monotone problem the result is minimal; in any other it is only interesting. Costs at most
    M (2 log2(N / M) + 1) + log2(N + 1) + 1 queries for M elements found among N, which is the
    paper's O(M log(1 + N / M)): before an essential element with g others that can go, at most
    2 log2(g + 1) + 1. Kinds: `complement` for chunks, `bisect` for halves.
    """

    kept: Subset
    at: int
    """Elements at the front that are still unknown; all behind those are essential."""
    size: int = 1
    """The length of the next chunk."""
    stays: int = 0
    """Of the unknown elements, the last `stays` cannot all go; 0 if none are known to."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Progression:
        """Return the state before the first query."""
        return cls(kept, len(kept))

    def ask(self) -> tuple[Query, ...]:
        """Ask for the list without the chunk, or without the second half of one that stays."""
        if not self.at:
            return ()
        kept = self.kept.without(self.at - self._length, self.at)
        return (Query(kept, "bisect" if self.stays else "complement"),)

    def tell(self, answers: tuple[bool, ...]) -> Progression:
        """Drop what was asked for, or look for the essential element in it."""
        (interesting,) = answers
        length = self._length
        if not interesting:
            return self._replace(stays=length)._stepped()
        kept, at = self.kept.without(self.at - length, self.at), self.at - length
        if self.stays:
            return self._replace(kept=kept, at=at, stays=self.stays - length)._stepped()
        return Progression(kept, at, 2 * self.size)

    @property
    def _length(self) -> int:
        """The number of unknown elements that the next query takes away."""
        return (self.stays + 1) // 2 if self.stays else min(self.size, self.at)

    def _stepped(self) -> Progression:
        """Step over an element that is known to be essential."""
        return Progression(self.kept, self.at - 1) if self.stays == 1 else self
