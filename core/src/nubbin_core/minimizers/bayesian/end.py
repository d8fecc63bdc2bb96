"""One end of a list: what is believed there, and how much its queries have removed."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief

#: The weight of the prior of an end that the sweep must not leave.
PERMANENT = 1 << 62

#: The sweep moves to the other end if this one removes less than this fraction of what that one
#: removes, in elements per query.
_SLOW_FRACTION = 0.6

#: The rate assumed of the other end before its first query: above 1, so that it is tried early.
UNTRIED_RATE = 1.25


class End(NamedTuple):
    """The queries of one round at one end, and what they taught.

    The prior is one element removed per query, with the weight of `weight` queries. So the better
    end is found with a few queries, and the sweep hardly ever moves if both ends are equally good.
    By default the sweep never leaves this end.
    """

    belief: Belief
    weight: int = PERMANENT
    asked: int = 0
    removed: int = 0

    @classmethod
    def of(cls, belief: Belief, n: int) -> End:
        return cls(belief, n.bit_length())

    def after(self, removed: int) -> End:
        return End(self.belief, self.weight, self.asked + 1, self.removed + removed)

    @property
    def rate(self) -> float:
        """The number of elements removed per query, estimated."""
        return (self.removed + self.weight) / (self.asked + self.weight)

    def is_slow_beside(self, rate: float) -> bool:
        """Tell whether the sweep should move to the other end, given the rate there."""
        return self.rate < _SLOW_FRACTION * rate
