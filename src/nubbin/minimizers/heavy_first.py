"""The heaviest elements first: most bytes go early, for a few per cent more questions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nubbin.minimizers.minimizer import Query, Settings
from nubbin.minimizers.predictive import Predictive
from nubbin.minimizers.subset import EMPTY, Subset

#: Elements go first that make up this part of the weight, if they are no more than that part of
#: the elements: what they prove is void when one of the many others goes.
_OF_WEIGHT, _OF_ELEMENTS = 0.75, 0.25


@dataclass(frozen=True, slots=True)
class HeavyFirst:
    """Sweeps the few elements that weigh most, then all that is left.

    Where weights are much alike it is `Predictive`, which it uses for both sweeps; what the
    first one learned is the prior of the second.
    """

    inner: Predictive
    light: Subset = EMPTY  # what the sweep under way leaves alone

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> HeavyFirst:
        """Return the state before the first query."""
        heavy = _heavy(kept, settings)
        return cls(Predictive.start(heavy, settings), kept.less(heavy))

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return self.inner.kept.plus(self.light)

    def ask(self) -> tuple[Query, ...]:
        """Ask what the sweep under way asks, with all that it leaves alone."""
        return tuple(replace(query, kept=query.kept.plus(self.light)) for query in self.inner.ask())

    def tell(self, answers: tuple[bool, ...]) -> HeavyFirst:
        """Go on, and over to all elements when the heavy ones are done."""
        inner = self.inner.tell(answers)
        if not self.light or not (inner.proving or not inner.kept):
            return replace(self, inner=inner)
        everything = inner.kept.plus(self.light)
        return HeavyFirst(Predictive.start(everything, Settings(belief=inner.learned)))


def _heavy(kept: Subset, settings: Settings) -> Subset:
    """Return the fewest elements that make up most of the weight; all, where they are many."""
    weights = np.asarray(settings.weights, dtype=np.float64)
    if not weights.size:
        return kept
    order = np.argsort(-weights, kind="stable")
    count = int(np.searchsorted(np.cumsum(weights[order]), _OF_WEIGHT * weights.sum())) + 1
    return kept.take(order[:count]) if count <= _OF_ELEMENTS * len(kept) else kept
