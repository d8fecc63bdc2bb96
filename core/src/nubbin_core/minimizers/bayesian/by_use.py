"""A predictor of the next deletable run that knows what each element is used by."""

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

#: The classes of elements: nothing in the list uses it; something does, but nothing that has to
#: stay; something that has to stay uses it.
_NOT_USED, _USED, _USED_BY_KEPT = range(3)
#: Added to the class of an element that stands next to an essential one.
_NEXT_TO_ESSENTIAL = 3
_CLASSES = 6


class ByUse(NamedTuple):
    """An element is essential with an unknown probability that depends on its class.

    Its class says whether anything uses it, anything that has to stay, and whether its neighbour
    has to stay. The sweep comes from the end, so `at` elements are ahead. The probability of each
    class is learned as in `Scattered`: `weights` has those of the densities for each class. A run
    costs time linear in the list, but no loop over it.
    """

    uses: Uses
    at: int
    classes: bytes
    weights: tuple[Floats, ...]

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
        """Return the probability of a run, and the posterior.

        What the essential element uses is used by what has to stay.
        """
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
            classes[used] = _USED_BY_KEPT
        if essential:
            classes[essential - 1] += _NEXT_TO_ESSENTIAL
        return prod(chances), ByUse(self.uses, essential, bytes(classes), tuple(weights))

    def observe_censored(self, length: int) -> ByUse:
        """Learn nothing."""
        return self

    def as_prior(self, n: int) -> ByUse:
        """Keep the weights and forget a little; nothing is known of what the n elements use."""
        return ByUse._of(Uses.none(n), tuple([faded(each) for each in self.weights]))

    def about(self, uses: Uses) -> ByUse:
        """Return the same weights for a list of these elements, not yet begun."""
        return ByUse._of(uses, self.weights)
