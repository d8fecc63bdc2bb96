"""ddmin: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (TSE 2002)."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Ddmin(NamedTuple):
    """Try every subset alone, then without every subset; then halve the subsets' size.

    The variant of Zhang et al. ("Toward a Better Understanding of Probabilistic Delta
    Debugging", ICSE 2025, section II-A and Table II), which differs from the original in two
    ways that save queries: subsets have a size, at first half of the list, and only the last one
    may be smaller; and when a complement is interesting only the complements start again, since
    none of the subsets has changed. In a list of two subsets each is the other's complement, so
    each is asked about once.

    The result is 1-minimal if the empty subset, which is never asked about, is uninteresting.
    Costs O(log N) queries at best, O(N^2) at worst.

    Kinds, and what they are in that paper's success rates (section IV-F): `half` keeps one of
    two subsets ("other"), `subset` keeps one of many ("complement": what goes is a subset's
    complement), `complement` takes a subset away for the first time at this size ("other"),
    `revisit` takes one away again ("revisit").
    """

    kept: Subset
    size: int
    at: int = 0
    """The index of the subset in question."""
    removing: bool = False
    """Whether the question is to take it away, not to keep it alone."""
    refused: int = 0
    """The number of subsets at the front whose removal was refused at least once."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Ddmin:
        """Return the state before the first query."""
        return cls(kept, len(kept) // 2)

    def ask(self) -> tuple[Query, ...]:
        """Ask for the current subset alone, or for everything but it."""
        if not self.size:
            return ()
        lo, hi = self.at * self.size, (self.at + 1) * self.size
        if self.removing:
            kind = "revisit" if self.at < self.refused else "complement"
            return (Query(self.kept.without(lo, hi), kind),)
        return (Query(self.kept[lo:hi], "subset" if self._subsets > 2 else "half"),)

    def tell(self, answers: tuple[bool, ...]) -> Ddmin:
        """Narrow to a subset and start again, drop one and start the pass again, or go on."""
        (interesting,) = answers
        (asked,) = self.ask()
        if not interesting:
            return self._replace(at=self.at + 1)._after_last()
        if not self.removing:
            return Ddmin(asked.kept, len(asked.kept) // 2)
        refused = max(self.at, self.refused - 1)
        return self._replace(kept=asked.kept, at=0, refused=refused)._after_last()

    @property
    def _subsets(self) -> int:
        return -(-len(self.kept) // self.size)

    def _after_last(self) -> Ddmin:
        """Go on to the complements after the last subset, then to half the size."""
        if self.removing and self._subsets <= 2:
            return self._finer()  # each is the other's complement, and was asked about alone
        if self.at < self._subsets:
            return self
        if self.removing or self._subsets <= 2:
            return self._finer()
        return self._replace(at=0, removing=True)

    def _finer(self) -> Ddmin:
        return Ddmin(self.kept, self.size // 2)
