"""One-pass ddmin: Gharachorlu and Sumner, "Avoiding the Familiar" (QRS 2018)."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class OnePass(NamedTuple):
    """Try to remove each subset once at each size: no subset is visited again.

    Only ddmin's removals, from half of the list's length down to single elements; after a
    success the pass goes on with the next subset instead of starting again. This follows the
    published abstract (chunks are removed, never kept alone; O(N) as nothing is revisited) and
    the description by Zhang et al. (ICSE 2025, section VII), with their sizes (section II-A).

    The result is minimal in a monotone problem, and 1-minimal if no removal makes an earlier one
    possible. Costs fewer than 2 N + log2 N queries. The empty subset is never tried.
    """

    kept: Subset
    size: int
    at: int = 0  # the position of the subset to try next

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> OnePass:
        return cls(kept, len(kept) // 2)

    def ask(self) -> tuple[Query, ...]:
        if not self.size:
            return ()
        return (Query(self.kept.without(self.at, self.at + self.size), "complement"),)

    def tell(self, answers: tuple[bool, ...]) -> OnePass:
        """Remove the subset or skip it; halve the size at the end."""
        (accepted,) = answers
        if accepted:
            after = self._replace(kept=self.ask()[0].kept)
        else:
            after = self._replace(at=self.at + self.size)
        while after.size and not after.at < len(after.kept) > after.size:
            after = OnePass(after.kept, after.size // 2)
        return after
