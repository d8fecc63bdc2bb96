"""n-minimality by brute force: the definition in Wang's "Analysis of Lithium's algorithm"."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Start
from nubbin_core.minimizers.subset import Subset


class Exhaustive(NamedTuple):
    """Try to remove every element, every pair, and so on to every `n` of them at once.

    Removals are in lexicographic order, single elements first. After a success the next removal
    begins at the same index; after the last size, single elements are tried again until nothing
    could be removed. So the result is n-minimal; the empty subset counts as rejected. Costs
    sum(C(N, k), k = 1..n) queries if nothing can be removed. Kinds: `single`, `joint`.
    """

    kept: Subset
    n: int
    chosen: tuple[int, ...] = (0,)  # positions of the elements to remove; empty when finished
    is_shorter: bool = False  # whether anything was removed since single removals began

    @classmethod
    def up_to(cls, n: int) -> Start:
        """Return the function that starts it for n-minimality; ValueError unless n >= 1."""
        if n < 1:
            raise ValueError(f"n-minimality is defined for n >= 1, not {n}")
        return lambda kept, settings: cls(kept, n)._settled()

    def ask(self) -> tuple[Query, ...]:
        if not self.chosen:
            return ()
        after = self.kept.less(self.kept.take(self.chosen))
        return (Query(after, "single" if len(self.chosen) == 1 else "joint"),)

    def tell(self, answers: tuple[bool, ...]) -> Exhaustive:
        (accepted,) = answers
        if not accepted:
            return self._replace(chosen=self._next_combination())._settled()
        first, size = self.chosen[0], len(self.chosen)
        chosen = tuple(range(first, first + size))
        after = self._replace(kept=self.ask()[0].kept, chosen=chosen, is_shorter=True)
        return after._settled()

    def _next_combination(self) -> tuple[int, ...]:
        """Return the lexicographically next positions; after the last, some are beyond the list."""
        left, size = len(self.kept), len(self.chosen)
        movable = [i for i in range(size) if self.chosen[i] < left - size + i]
        i = movable[-1] if movable else 0
        return self.chosen[:i] + tuple(range(self.chosen[i] + 1, self.chosen[i] + 1 + size - i))

    def _settled(self) -> Exhaustive:
        """After the last removal of a size, go on to the next size, or begin again."""
        after, largest = self, min(self.n, len(self.kept) - 1)
        while after.chosen and (after.chosen[-1] >= len(after.kept) or len(after.chosen) > largest):
            if len(after.chosen) < largest:
                after = after._replace(chosen=tuple(range(len(after.chosen) + 1)))
            elif after.is_shorter and largest:
                after = after._replace(chosen=(0,), is_shorter=False)
            else:
                after = after._replace(chosen=())
        return after


PAIRS = Exhaustive.up_to(2)
