"""A predictor of the next deletable run that knows what each element is used by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nubbin.minimizers.bayesian.predictors import (
    DENSITIES,
    LENGTHS,
    LOG_FREE,
    TINY,
    Floats,
    even_weights,
    faded,
)
from nubbin.minimizers.uses import Uses

#: The classes of elements: nothing in the list uses it; something does, but nothing that has to
#: stay; something that has to stay uses it.
_NOT_USED, _USED, _USED_BY_KEPT = range(3)
#: Added to the class of an element that stands next to an essential one.
_NEXT_TO_ESSENTIAL = 3
_CLASSES = 6

Classes = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class ByUse:
    """An element is essential with an unknown probability that depends on its class.

    Its class says whether anything uses it, anything that has to stay, and whether its neighbour
    has to stay. The sweep comes from the end, so `at` elements are ahead. The probability of each
    class is learned as in `Scattered`: `weights` has the shape (classes, densities). A run costs
    time linear in the list, but no loop over it.
    """

    uses: Uses
    at: int
    classes: Classes
    weights: Floats

    @classmethod
    def prior(cls, uses: Uses) -> ByUse:
        """Return equal weights for all densities, whatever the class."""
        return cls._of(uses, np.tile(even_weights(len(uses)), (_CLASSES, 1)))

    @classmethod
    def _of(cls, uses: Uses, weights: Floats) -> ByUse:
        classes = np.full(len(uses), _NOT_USED, np.int8)
        classes[uses.targets] = _USED
        return cls(uses, len(uses), classes, weights)

    def survival(self) -> Floats:
        """Return P(L >= m): for each class, the chance that none among the next m is essential."""
        ahead = self.classes[: self.at][::-1]
        reached = np.minimum(LENGTHS, self.at).astype(np.int64)
        chance = np.where(self.at < LENGTHS, 0.0, 1.0)
        for each in np.bincount(ahead).nonzero()[0].tolist():
            counts = np.concatenate(([0], (ahead == each).cumsum()))[reached]
            chance *= np.exp(np.multiply.outer(counts, LOG_FREE)) @ self.weights[each]
        return chance

    def likelihood(self, length: int) -> float:
        """Return the probability of a run."""
        if length >= self.at:
            return TINY
        return float((self.weights * self._chances(length)).sum(axis=1).prod())

    def observe(self, length: int) -> ByUse:
        """Return the posterior; what the essential element uses is used by what has to stay."""
        if length >= self.at:
            return self
        weights = self.weights * np.maximum(self._chances(length), TINY)
        essential, classes = self.at - length - 1, self.classes.copy()
        classes[self.uses.of(essential)] = _USED_BY_KEPT
        if essential:
            classes[essential - 1] += _NEXT_TO_ESSENTIAL
        return ByUse(self.uses, essential, classes, weights / weights.sum(axis=1, keepdims=True))

    def observe_censored(self, length: int) -> ByUse:
        """Learn nothing."""
        return self

    def as_prior(self, n: int) -> ByUse:
        """Keep the weights and forget a little; nothing is known of what the n elements use."""
        return ByUse._of(Uses.none(n), faded(self.weights))

    def about(self, uses: Uses) -> ByUse:
        """Return the same weights for a list of these elements, not yet begun."""
        return ByUse._of(uses, self.weights)

    def _chances(self, length: int) -> Floats:
        """Return for each class and density the chance of a run: shape (classes, densities)."""
        run = self.classes[self.at - length : self.at]
        counts = np.bincount(run, minlength=_CLASSES)
        chances: Floats = np.exp(np.multiply.outer(counts, LOG_FREE))
        chances[self.classes[self.at - length - 1]] *= DENSITIES
        return chances
