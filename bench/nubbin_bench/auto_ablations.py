"""`auto` without one of its parts each: for record/limits.md, and as algorithms of a study.

`nubbin-bench run --algorithms auto,bench/nubbin_bench/auto_ablations.py:without_leaps` runs one.
"""

from __future__ import annotations

import math

from nubbin_core.minimizers import Belief, Minimizer, Settings, Subset
from nubbin_core.minimizers.bayesian.auto import Auto
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.bayesian.predictors import Scattered
from nubbin_core.minimizers.wrappers import Backward


def from_the_end(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` without a look at the front in its first lap, as reductions do."""
    return Auto.start(kept, settings._replace(alone=False))


def forward(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` from the front only."""
    return Backward.of(from_the_end)(kept, settings)


def without_leaps(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` so that it tries every element of a cluster."""
    return Auto.over(Predictive.start(kept, settings)._replace(hidden=math.inf))


def without_mixture(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` with independent elements of unknown density as its one predictor."""
    sweep = Predictive.start(kept, settings)
    if settings.belief is not None:  # of a list before, which had the one predictor as well
        return Auto.over(sweep)
    count = len(sweep.end.belief.predictors)
    one = Belief((Scattered.prior(len(kept)),) * count, (1 / count,) * count)
    return Auto.over(sweep._replace(end=sweep.end._replace(belief=one)))


def without_belief(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` so that earlier lists have taught it nothing."""
    return Auto.start(kept, settings._replace(belief=None))


def without_floor(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` without fallbacks, and without the search for groups."""
    return Predictive.start(kept, settings)
