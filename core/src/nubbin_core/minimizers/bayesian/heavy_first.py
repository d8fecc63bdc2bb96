"""The heaviest elements first: most bytes are removed early, with a few per cent more queries."""

from __future__ import annotations

from itertools import accumulate, takewhile
from math import fsum
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: The heaviest elements that make up this fraction of the weight are swept first ...
_HEAVY_WEIGHT_FRACTION = 0.75
#: ... if they are at most this fraction of the elements: any later removal voids their proofs.
_MAX_HEAVY_FRACTION = 0.25


class HeavyFirst(NamedTuple):
    """Sweep the few elements that weigh most, then all that are left.

    Both sweeps are `Predictive`; the belief after the first one is the prior of the second. If
    weights are similar, there is one sweep.
    """

    inner: Predictive
    light: Subset = EMPTY  # the elements that the first sweep does not try

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> HeavyFirst:
        heavy = _heavy(kept, settings)
        # Uses are known of the whole list, not of a part of it.
        return cls(Predictive.start(heavy, settings._replace(uses=None)), kept.less(heavy))

    @property
    def kept(self) -> Subset:
        return self.inner.kept.plus(self.light)

    def ask(self) -> tuple[Query, ...]:
        return tuple(query._replace(kept=query.kept.plus(self.light)) for query in self.inner.ask())

    def tell(self, answers: tuple[bool, ...]) -> HeavyFirst:
        """Tell the sweep; after the heavy elements, begin one with all."""
        inner = self.inner.tell(answers)
        if not self.light or not (inner.proving or not inner.kept):
            return self._replace(inner=inner)
        everything = inner.kept.plus(self.light)
        return HeavyFirst(Predictive.start(everything, Settings(belief=inner.learned)))


def _heavy(kept: Subset, settings: Settings) -> Subset:
    """Return the fewest elements that make up most of the weight; all if they are many."""
    weights = settings.weights
    if not len(weights):
        return kept
    order = sorted(range(len(weights)), key=lambda at: -weights[at])
    sums = accumulate(weights[at] for at in order)
    most = _HEAVY_WEIGHT_FRACTION * fsum(weights)
    count = 1 + sum(1 for _ in takewhile(most.__gt__, sums))
    return kept.take(order[:count]) if count <= _MAX_HEAVY_FRACTION * len(kept) else kept
