"""Weighted ddmin: Zhou et al., "WDD: Weighted Delta Debugging" (ICSE 2025)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.published.greedy import Greedy
from nubbin_core.minimizers.subset import Subset

#: A stretch of the list that ddmin begins with: positions from, to.
Part = tuple[int, int]


class WDD(NamedTuple):
    """ddmin on parts of equal weight instead of equal length.

    The list is one part at first. In each round every part is cut in two so that the weights of
    both sides are closest; an element that is a part by itself was tried and is set aside.
    Then each part is tried alone, and after that its removal. A part that is interesting alone
    becomes the list to begin again with; one that can be removed leaves the round's parts, and
    these start again. When no part is left, `Greedy` takes over, so that the result is
    1-minimal (the source's CheckOneMinimal); only there the empty subset is asked about.

    Weights are the elements' sizes, by their index; without any, all weigh the same and this is
    ddmin up to the rounding of halves. Costs as ddmin does. Kinds: as in ddmin, then Greedy's.
    """

    kept: Subset
    whole: Subset
    """The list that the positions of parts refer to."""
    parts: tuple[Part, ...]
    sums: tuple[float, ...]
    """Weights of the whole's elements before each position: len(whole) + 1 of them."""
    at: int = 0
    """The index of the part in question."""
    removing: bool = False
    """Whether the question is to take it away, not to keep it alone."""
    refused: int = 0
    """The number of parts at the front whose removal was refused at least once."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> WDD | Greedy:
        """Return the state before the first query."""
        weights = settings.weights
        each = (weights[at] for at in kept) if len(weights) else [1.0] * len(kept)
        sums = tuple(accumulate(each, initial=0.0))
        return cls(kept, kept, ((0, len(kept)),), sums)._finer()

    def ask(self) -> tuple[Query, ...]:
        """Ask for the current part alone, or for everything but it."""
        part = self._part
        if not self.removing:
            return (Query(part, "half" if self._is_halved else "subset"),)
        kind = "revisit" if self.at < self.refused else "complement"
        return (Query(self._without_part(), kind),)

    def tell(self, answers: tuple[bool, ...]) -> WDD | Greedy:
        """Narrow to a part and start again, drop one and start the pass again, or go on."""
        (interesting,) = answers
        if not interesting:
            after = self._replace(at=self.at + 1)
        elif self.removing:
            parts = self.parts[: self.at] + self.parts[self.at + 1 :]
            refused = max(self.at, self.refused - 1)
            kept = self._without_part()
            after = self._replace(kept=kept, parts=parts, at=0, refused=refused)
        else:
            after = self._replace(kept=self._part, parts=(self.parts[self.at],))
            return after._finer()
        return after._after_last()

    @property
    def _part(self) -> Subset:
        lo, hi = self.parts[self.at]
        return self.whole[lo:hi]

    def _without_part(self) -> Subset:
        lo, hi = self.parts[self.at]
        rank = self.kept.rank(self.whole[lo])
        return self.kept.without(rank, rank + hi - lo)

    @property
    def _is_halved(self) -> bool:
        """Whether two parts make up the list, so that each is the other's complement."""
        return len(self.parts) <= 2 and sum(hi - lo for lo, hi in self.parts) == len(self.kept)

    def _after_last(self) -> WDD | Greedy:
        """Go on to the complements after the last part, then to smaller parts."""
        if self.removing and self._is_halved:
            return self._finer()
        if self.at < len(self.parts):
            return self
        if self.removing or self._is_halved:
            return self._finer()
        return self._replace(at=0, removing=True)

    def _finer(self) -> WDD | Greedy:
        """Cut every part in two; go on with `Greedy` if none has more than one element."""
        parts: list[Part] = []
        for lo, hi in self.parts:
            if hi - lo > 1:
                cut = self._middle(lo, hi)
                parts += ((lo, cut), (cut, hi))
        if not parts:
            return Greedy(self.kept)
        return self._replace(parts=tuple(parts), at=0, removing=False, refused=0)

    def _middle(self, lo: int, hi: int) -> int:
        """Return the position that cuts a part so that the weights of both sides are closest."""
        sums = self.sums
        middle = (sums[lo] + sums[hi]) / 2
        # The last position no heavier than the middle, or the next if that is nearer or as near.
        cut = bisect_right(sums, middle) - 1
        cut += sums[min(cut + 1, hi)] - middle <= middle - sums[cut]
        return min(max(cut, lo + 1), hi - 1)
