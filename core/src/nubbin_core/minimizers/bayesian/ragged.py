"""Groups of unequal lengths that can be removed only as a whole, as records of two to six lines."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief, fair_chance
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset

#: Shorter lists have too few groups.
MIN_ELEMENTS_RAGGED = 64

#: The shortest length to remove: single elements are tried by the sweep.
_SHORTEST = 2

#: One of so many neighbouring places, at least, is taken for a border of two groups.
_LONGEST = 6

#: What to remove a length costs, at one of `_LONGEST` places, over what it costs to be refused at
#: all of them.
_FAIR = fair_chance(1 / 3)

#: The first length at a border is this part of the list, at most.
_PARTS = 12

#: There is at most one query, but for those that removals earn, for so many elements.
_ELEMENTS_PER_QUERY = 16


class Ragged(NamedTuple):
    """Remove groups from the end of the list, whatever the length of each.

    One end of a removal is a border that is known: at first, the end of the list. For the other one
    the lengths from the longest downwards are tried: one of six in a row is at a border, if no
    group is longer. If all are refused, so is each length up to there, for some group among them
    has to be kept. So a belief over the next run that can be removed chooses the longest length, as
    it does in `Predictive`. A group that has to be kept is passed by trying each length for it, up
    to six, with up to six lengths to remove before it.

    Costs six queries, and one more for each element removed. Nothing is proved.
    """

    kept: Subset
    at: int  # the elements before a border
    belief: Belief
    queries: int
    gone: int = 0  # removed at this border
    bound: int = 0  # so many could not be removed; 0 when no bound is known
    passed: int = 0  # elements before the border that are taken for a group to be kept
    refused: int = 0  # lengths, from the longest downwards

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Ragged:
        """Return the state before the first query."""
        n = len(kept)
        return cls(kept, n, Belief.prior(n), min(_LONGEST, n // _ELEMENTS_PER_QUERY))

    @property
    def _longest(self) -> int:
        """The longest length to try next; 0 if none is left."""
        gone, bound = self.gone, self.bound
        most = min(self.at - self.passed, len(self.kept) - 1)
        if self.passed:
            return min(most, _LONGEST)
        step = max(gone + _LONGEST, len(self.kept) // _PARTS)
        most = min(most, step, bound - gone - 1 if bound else most)
        if most <= _LONGEST:
            return most
        return self.belief.toss(gone, bound, gone + most, 0, _FAIR)[0] - gone

    def ask(self) -> tuple[Query, ...]:
        """Ask to remove the next length before the border."""
        stop, length = self.at - self.passed, self._longest - self.refused
        if not self.queries or length < _SHORTEST:
            return ()
        return (Query(self.kept.without(stop - length, stop), "unit", 0.5),)

    def tell(self, answers: tuple[bool, ...]) -> Ragged:
        """Go to the new border; or try the next length, or the next place."""
        (interesting,), length = answers, self._longest - self.refused
        if interesting:
            kept, queries = self.ask()[0].kept, self.queries - 1 + length
            after = self._replace(kept=kept, queries=queries, passed=0, refused=0)
            after = after._replace(at=self.at - self.passed - length)
            if self.passed:
                belief = self.belief.observe(self.gone)
                return after._replace(belief=belief, gone=length, bound=0)
            return after._replace(gone=self.gone + length)._settled()
        after = self._replace(refused=self.refused + 1, queries=self.queries - 1)
        if length > _SHORTEST and after.refused < _LONGEST:
            return after
        after = after._replace(refused=0)
        if self.passed or length == _SHORTEST:
            over = self.passed == _LONGEST
            return after._replace(passed=self.passed + 1, queries=0 if over else after.queries)
        return after._replace(bound=self.gone + length)._settled()

    def _settled(self) -> Ragged:
        return self if self._longest >= _SHORTEST or not self.at else self._replace(passed=1)
