"""One end of a list, what is believed there, and what it has paid to sweep from it."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief

#: The weight of what an end promises if the sweep is not to leave it.
_FOR_GOOD = 1 << 62

#: The sweep goes on at the other end when this one pays less than this fraction of that one.
_POOR_FRACTION = 0.6

#: What an end that was not tried promises: if it is tried too late, too much is lost at the first.
UNTRIED_PAY = 1.25


class End(NamedTuple):
    """What a lap has asked and deleted at one end, and what that taught.

    Before the first question an end promises to delete an element a question, as if it had done
    so `weight` times. So the better end is found at the cost of a few questions, and a list where
    both ends pay alike is swept from one, almost. By default the sweep never leaves the end.
    """

    belief: Belief
    weight: int = _FOR_GOOD
    asked: int = 0
    deleted: int = 0

    @classmethod
    def of(cls, belief: Belief, n: int) -> End:
        """Return an end of a list of n elements, where nothing was asked yet."""
        return cls(belief, n.bit_length())

    def after(self, deleted: int) -> End:
        """Return the end after a question that deleted `deleted` elements."""
        return End(self.belief, self.weight, self.asked + 1, self.deleted + deleted)

    def believing(self, belief: Belief) -> End:
        """Return the end with another belief."""
        return self._replace(belief=belief)

    def for_good(self) -> End:
        """Return the end as one that the sweep does not leave any more."""
        return self._replace(weight=_FOR_GOOD)

    @property
    def may_be_left(self) -> bool:
        """Whether the sweep looks at the other end, too."""
        return self.weight < _FOR_GOOD

    @property
    def pay(self) -> float:
        """The number of elements that a question deletes here, by what is known so far."""
        return (self.deleted + self.weight) / (self.asked + self.weight)

    def is_poor_beside(self, promised: float) -> bool:
        """Tell whether the sweep should go on at the other end, by what that promises."""
        return self.pay < _POOR_FRACTION * promised
