"""Weighted ddmin: Zhou et al., "WDD: Weighted Delta Debugging" (ICSE 2025)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.published.one_by_one import Greedy
from nubbin_core.minimizers.subset import Subset

#: A part of the original list: positions from, to.
Part = tuple[int, int]


class WDD(NamedTuple):
    """ddmin on parts of equal weight instead of equal length.

    The list is one part at first. Each round divides every part in two so that the weights of
    both sides are closest; a part of one element was tried and is left out. Then it tries each
    part alone, and after that its removal. If the test accepts a part alone, the algorithm starts
    again with that part. If it accepts a removal, the removals of the round's other parts start
    again. When no part can be divided, `Greedy` makes the result 1-minimal (the source's
    CheckOneMinimal); only `Greedy` tries the empty subset.

    Weights are the elements' sizes, by their index; without any, all weigh the same and this is
    ddmin up to the rounding of halves. Costs as ddmin does. Kinds: as in ddmin, then Greedy's.
    """

    kept: Subset
    whole: Subset  # the list that the positions of parts refer to
    parts: tuple[Part, ...]
    sums: tuple[float, ...]  # weights before each position of `whole`: len(whole) + 1 of them
    at: int = 0  # the index of the part to try next
    removing: bool = False  # whether to remove that part; if not, to keep it alone
    rejected: int = 0  # the parts at the front whose removal was rejected at least once

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> WDD | Greedy:
        weights = settings.weights
        each = (weights[at] for at in kept) if len(weights) else [1.0] * len(kept)
        sums = tuple(accumulate(each, initial=0.0))
        return cls(kept, kept, ((0, len(kept)),), sums)._finer()

    def ask(self) -> tuple[Query, ...]:
        part = self._part
        if not self.removing:
            return (Query(part, "half" if self._is_halved else "subset"),)
        kind = "revisit" if self.at < self.rejected else "complement"
        return (Query(self._without_part(), kind),)

    def tell(self, answers: tuple[bool, ...]) -> WDD | Greedy:
        """Keep one part and start again, remove one and repeat the pass, or go on."""
        (accepted,) = answers
        if not accepted:
            return self._replace(at=self.at + 1)._after_last()
        if not self.removing:
            return self._replace(kept=self._part, parts=(self.parts[self.at],))._finer()
        parts = self.parts[: self.at] + self.parts[self.at + 1 :]
        rejected = max(self.at, self.rejected - 1)
        after = self._replace(kept=self._without_part(), parts=parts, at=0, rejected=rejected)
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
        """After the last part, go on to the removals, then to smaller parts."""
        if self.at < len(self.parts) and not (self.removing and self._is_halved):
            return self
        if self.removing or self._is_halved:
            return self._finer()
        return self._replace(at=0, removing=True)

    def _finer(self) -> WDD | Greedy:
        """Divide every part in two; go on with `Greedy` if none has more than one element."""
        parts: list[Part] = []
        for lo, hi in self.parts:
            if hi - lo > 1:
                cut = self._middle(lo, hi)
                parts += ((lo, cut), (cut, hi))
        if not parts:
            return Greedy(self.kept)
        return self._replace(parts=tuple(parts), at=0, removing=False, rejected=0)

    def _middle(self, lo: int, hi: int) -> int:
        """Return the position where the weights of both sides of a part are closest."""
        sums = self.sums
        middle = (sums[lo] + sums[hi]) / 2
        # The last position no heavier than the middle, or the next if that is nearer or as near.
        cut = bisect_right(sums, middle) - 1
        cut += sums[min(cut + 1, hi)] - middle <= middle - sums[cut]
        return min(max(cut, lo + 1), hi - 1)
