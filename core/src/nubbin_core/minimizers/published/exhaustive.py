"""n-minimality by brute force: the definition in Wang's "Analysis of Lithium's algorithm"."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


class Exhaustive(NamedTuple):
    """Take away every element, every pair, and so on to every `n` of them at once.

    Goes through the removals in lexicographic order, single ones first; after a success it goes
    on at the same index, and after the last size it begins again with single ones, until
    nothing could be taken away. So the result is n-minimal: no removal of up to n elements is
    interesting; the empty subset counts as uninteresting. Costs sum(C(N, k), k = 1..n) queries
    for a list that stays as it is, more for one that does not. Kinds: `single`, `joint`.
    """

    kept: Subset
    n: int
    gone: tuple[int, ...] = (0,)
    """Positions of the elements whose removal is in question; empty when finished."""
    deleted: bool = False
    """Whether anything was taken away since the single removals began."""

    @classmethod
    def up_to(cls, n: int) -> Callable[[Subset, Settings], Exhaustive]:
        """Return the function that starts it for n-minimality; ValueError unless n >= 1."""
        if n < 1:
            raise ValueError(f"n-minimality is defined for n >= 1, not {n}")
        return lambda kept, settings: cls(kept, n)._settled()

    def ask(self) -> tuple[Query, ...]:
        """Ask for the list without the current combination of elements."""
        if not self.gone:
            return ()
        return (Query(self._without_gone(), "single" if len(self.gone) == 1 else "joint"),)

    def tell(self, answers: tuple[bool, ...]) -> Exhaustive:
        """Drop the combination or step on to the next."""
        (interesting,) = answers
        if interesting:
            first, size = self.gone[0], len(self.gone)
            gone = tuple(range(first, first + size))
            after = self._replace(kept=self._without_gone(), gone=gone, deleted=True)
        else:
            after = self._replace(gone=self._next_combination())
        return after._settled()

    def _without_gone(self) -> Subset:
        return self.kept.less(self.kept.take(self.gone))

    def _next_combination(self) -> tuple[int, ...]:
        """Return the lexicographically next positions; after the last, some are beyond the list."""
        left, size = len(self.kept), len(self.gone)
        movable = [i for i in range(size) if self.gone[i] < left - size + i]
        i = movable[-1] if movable else 0
        return self.gone[:i] + tuple(range(self.gone[i] + 1, self.gone[i] + 1 + size - i))

    def _settled(self) -> Exhaustive:
        """Go to the next size after the last removal of this one, or begin again."""
        after, largest = self, min(self.n, len(self.kept) - 1)
        while after.gone and (after.gone[-1] >= len(after.kept) or len(after.gone) > largest):
            if len(after.gone) < largest:
                after = after._replace(gone=tuple(range(len(after.gone) + 1)))
            elif after.deleted and largest:
                after = after._replace(gone=(0,), deleted=False)
            else:
                after = after._replace(gone=())
        return after


PAIRS = Exhaustive.up_to(2)
