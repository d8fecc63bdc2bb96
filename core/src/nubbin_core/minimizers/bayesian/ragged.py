"""Groups of unequal lengths that can only be removed whole, such as records of 2 to 6 lines."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief, fair_chance
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset

#: Shorter lists have too few groups.
MIN_ELEMENTS_RAGGED = 64

#: The shortest length to remove: the sweep tries single elements.
_SHORTEST = 2

#: At least one of this number of neighbouring places is assumed to be a border of two groups.
_LONGEST = 6

#: The cost of a success at one of `_LONGEST` places is a third of the cost of failing at all.
_FAIR = fair_chance(1 / 3)

#: The first length at a border is at most the length of the list divided by this.
_PARTS = 12

#: Without a removal, at most one query for this number of elements.
_ELEMENTS_PER_QUERY = 16


class Ragged(NamedTuple):
    """Remove groups from the end of the list, whatever the length of each.

    A removal ends at a known border: at first, the end of the list. It begins at one of six
    neighbouring places, tried from the longest removal downwards: if no group is longer than six,
    one of them is a border. If the test rejects all six, one of the groups there is needed, and any
    longer removal would be rejected, too. So a belief over the next removable run chooses the
    longest length, as in `Predictive`. Behind a needed group of unknown length, each length up to
    six is assumed for it, with up to six lengths to remove before it.

    Costs six queries, and one more for each element removed. Nothing is proved.
    """

    kept: Subset
    at: int  # the elements before a border
    belief: Belief
    queries: int  # that may be asked
    removed: int = 0  # at this border
    bound: int = 0  # elements that could not be removed; 0 if no bound is known
    passed: int = 0  # elements before the border that are assumed to be a needed group
    rejected: int = 0  # lengths, from the longest downwards

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Ragged:
        n = len(kept)
        return cls(kept, n, Belief.prior(n), min(_LONGEST, n // _ELEMENTS_PER_QUERY))

    @property
    def _longest(self) -> int:
        """The longest length to try next; 0 if none is left."""
        removed, bound = self.removed, self.bound
        most = min(self.at - self.passed, len(self.kept) - 1)
        if self.passed:
            return min(most, _LONGEST)
        step = max(removed + _LONGEST, len(self.kept) // _PARTS)
        most = min(most, step, bound - removed - 1 if bound else most)
        if most <= _LONGEST:
            return most
        return self.belief.next_length(removed, bound, removed + most, 0, _FAIR)[0] - removed

    def ask(self) -> tuple[Query, ...]:
        stop, length = self.at - self.passed, self._longest - self.rejected
        if not self.queries or length < _SHORTEST:
            return ()
        return (Query(self.kept.without(stop - length, stop), "unit", 0.5),)

    def tell(self, answers: tuple[bool, ...]) -> Ragged:
        """Go on at the new border; or try the next length, or the next place."""
        (accepted,) = answers
        length, queries = self._longest - self.rejected, self.queries - 1
        if accepted:
            at, kept = self.at - self.passed - length, self.ask()[0].kept
            after = self._replace(kept=kept, at=at, queries=queries + length, passed=0, rejected=0)
            if self.passed:
                belief = self.belief.observe(self.removed)
                return after._replace(belief=belief, removed=length, bound=0)
            return after._replace(removed=self.removed + length)._settled()
        after = self._replace(rejected=self.rejected + 1, queries=queries)
        if length > _SHORTEST and after.rejected < _LONGEST:
            return after
        after = after._replace(rejected=0)
        if self.passed or length == _SHORTEST:
            over = self.passed == _LONGEST
            return after._replace(passed=self.passed + 1, queries=0 if over else after.queries)
        return after._replace(bound=self.removed + length)._settled()

    def _settled(self) -> Ragged:
        return self if self._longest >= _SHORTEST or not self.at else self._replace(passed=1)
