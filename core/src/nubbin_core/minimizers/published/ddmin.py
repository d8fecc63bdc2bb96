"""ddmin: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (TSE 2002)."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Ddmin(NamedTuple):
    """Try each subset alone, then the list without each subset; then halve the subsets' size.

    The variant of Zhang et al. ("Toward a Better Understanding of Probabilistic Delta
    Debugging", ICSE 2025, section II-A and Table II) saves queries in two ways. Subsets have a
    size, at first half of the list, and only the last one may be smaller. After an accepted
    complement only the complements start again, since no subset has changed. Of two subsets
    each is the other's complement, so each is tried once.

    The result is 1-minimal if the test rejects the empty subset, which is never tried.
    Costs O(log N) queries at best, O(N^2) at worst.

    Kinds, and their names in that paper's success rates (section IV-F): `half` keeps one of
    two subsets ("other"), `subset` keeps one of many ("complement": the removed part is a subset's
    complement), `complement` removes a subset for the first time at this size ("other"),
    `revisit` tries to remove one again ("revisit").
    """

    kept: Subset
    size: int
    at: int = 0  # the index of the subset to try next
    removing: bool = False  # whether to remove that subset; if not, to keep it alone
    rejected: int = 0  # the subsets at the front whose removal was rejected at least once

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Ddmin:
        return cls(kept, len(kept) // 2)

    def ask(self) -> tuple[Query, ...]:
        if not self.size:
            return ()
        lo, hi = self.at * self.size, (self.at + 1) * self.size
        if self.removing:
            kind = "revisit" if self.at < self.rejected else "complement"
            return (Query(self.kept.without(lo, hi), kind),)
        return (Query(self.kept[lo:hi], "subset" if self._subsets > 2 else "half"),)

    def tell(self, answers: tuple[bool, ...]) -> Ddmin:
        """Keep one subset and start again, remove one and repeat the pass, or go on."""
        (accepted,) = answers
        if not accepted:
            return self._replace(at=self.at + 1)._after_last()
        kept = self.ask()[0].kept
        if not self.removing:
            return Ddmin(kept, len(kept) // 2)
        rejected = max(self.at, self.rejected - 1)
        return self._replace(kept=kept, at=0, rejected=rejected)._after_last()

    @property
    def _subsets(self) -> int:
        return -(-len(self.kept) // self.size)

    def _after_last(self) -> Ddmin:
        """After the last subset, go on to the complements, then to half the size."""
        halved = self._subsets <= 2  # each is the other's complement, and was tried alone
        if self.at < self._subsets and not (self.removing and halved):
            return self
        if self.removing or halved:
            return Ddmin(self.kept, self.size // 2)
        return self._replace(at=0, removing=True)
