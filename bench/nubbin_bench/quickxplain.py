"""QuickXplain: Junker, "QuickXplain: preferred explanations and relaxations", AAAI 2004."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers import EMPTY, Query, Settings, Subset


class QuickXplain(NamedTuple):
    """Minimize the second half beside the first one, then the first half beside what is left.

    The paper's recursive function QX'(B, D, C) minimizes the part C of a set beside the background
    B; D is what was last put into B. Here `todo` is the stack of its calls, a pair of C and D each,
    the next one last. B has no field, because it is always what is kept but for C. If anything of D
    is kept, the function first asks whether B is enough. If it is not, and also if D is empty,
    C is split after the first half of it, rounded down, and a single element stays.

    "Interesting" is the paper's "inconsistent", and the empty subset counts as uninteresting. In a
    monotone problem the result is minimal; in any other it is only interesting. Costs at most
    2 M log2(N / M) + 2 M queries for M elements found among N, if N is a power of two (the paper's
    Theorem 1); if it is not, splits are uneven and some lists take a little more.
    """

    kept: Subset
    todo: tuple[tuple[Subset, Subset], ...]

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> QuickXplain:
        """Return the state before the first query."""
        return cls(kept, ((kept, EMPTY),))._split()

    def ask(self) -> tuple[Query, ...]:
        """Ask whether the background is enough without the part."""
        if not self.todo:
            return ()
        part, _ = self.todo[-1]
        return (Query(self.kept.less(part), "complement"),)

    def tell(self, answers: tuple[bool, ...]) -> QuickXplain:
        """Drop the part, or split it."""
        (interesting,) = answers
        if not interesting:
            return self._split()
        *todo, (part, _) = self.todo
        return QuickXplain(self.kept.less(part), tuple(todo))._called()

    def _split(self) -> QuickXplain:
        """Put the halves of the next part in its place; go past a single element, which stays."""
        *todo, (part, _) = self.todo
        half = len(part) // 2
        if half:
            first, second = part[:half], part[half:]
            todo += [(first, second), (second, first)]
        return self._replace(todo=tuple(todo))._called()

    def _called(self) -> QuickXplain:
        """Go on with the next part; if nothing new is in its background, there is no question."""
        if not self.todo:
            return self
        _, added = self.todo[-1]
        return self if self.kept & added else self._split()
