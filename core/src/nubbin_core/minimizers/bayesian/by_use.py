"""A predictor of the next removable run that knows which elements use which."""

from __future__ import annotations

from math import fsum, prod
from operator import mul
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.predictors import (
    DENSITIES,
    LENGTHS,
    TINY,
    Floats,
    even_weights,
    faded,
    free,
)
from nubbin_core.minimizers.uses import Uses

#: The classes of elements: no other element uses it; only elements not known to be essential do;
#: an essential element does.
_NOT_USED, _USED, _USED_BY_ESSENTIAL = range(3)
#: Added to the class of an element next to an essential one.
_NEXT_TO_ESSENTIAL = 3
_CLASSES = 6


class ByUse(NamedTuple):
    """An element is essential with an unknown probability that depends on its class.

    The class says whether any element uses it, whether an essential one does, and whether its
    neighbour is essential. The probability of each class is learned as in `Scattered`. A run costs
    time linear in the list, but no loop over it.
    """

    uses: Uses
    at: int  # the elements ahead: the sweep comes from the end
    classes: bytes
    weights: tuple[Floats, ...]  # for each class, the weights of densities

    @classmethod
    def prior(cls, uses: Uses) -> ByUse:
        """Return equal weights for all densities, whatever the class."""
        return cls._of(uses, (even_weights(len(uses)),) * _CLASSES)

    @classmethod
    def _of(cls, uses: Uses, weights: tuple[Floats, ...]) -> ByUse:
        classes = bytearray(len(uses))
        for used in uses.targets:
            classes[used] = _USED
        return cls(uses, len(uses), bytes(classes), weights)

    def survival(self, at: int) -> float:
        """Return P(L >= m): for each class, the chance that none among the next m is essential."""
        length = LENGTHS[at]
        if length > self.at:
            return 0.0
        chance = 1.0
        for each, weights in enumerate(self.weights):
            if count := self.classes.count(each, self.at - length, self.at):
                chance *= fsum(map(mul, weights, free(count)))
        return chance

    def observed(self, length: int) -> tuple[float, ByUse]:
        if length >= self.at:
            return TINY, self
        essential = self.at - length - 1
        chances, weights = [], []
        for each, before in enumerate(self.weights):
            after = [*map(mul, before, free(self.classes.count(each, essential + 1, self.at)))]
            if each == self.classes[essential]:
                after = [*map(mul, after, DENSITIES)]
            total = fsum(after)
            chances.append(total)
            weights.append(tuple([each / max(total, TINY) for each in after]))
        classes = bytearray(self.classes)
        for used in self.uses.of(essential):
            classes[used] = _USED_BY_ESSENTIAL
        if essential:
            classes[essential - 1] += _NEXT_TO_ESSENTIAL
        return prod(chances), ByUse(self.uses, essential, bytes(classes), tuple(weights))

    def observe_censored(self, length: int) -> ByUse:
        return self

    def as_prior(self, n: int) -> ByUse:
        """Keep the weights and forget a little; the uses of the n elements are unknown."""
        return ByUse._of(Uses.none(n), tuple([faded(each) for each in self.weights]))

    def about(self, uses: Uses) -> ByUse:
        """Return the same weights for a new list of elements with these uses."""
        return ByUse._of(uses, self.weights)
