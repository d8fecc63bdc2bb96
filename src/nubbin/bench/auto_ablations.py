"""`auto` without one of its parts each: on the levels of real inputs, and in docs/limits.md."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from nubbin.bench import tables
from nubbin.bench.family import Family
from nubbin.bench.markdown import table
from nubbin.bench.results import Results
from nubbin.bench.tables import number
from nubbin.minimizers import Belief, Minimizer, Settings, Subset
from nubbin.minimizers.backward import Backward
from nubbin.minimizers.hedged import Hedged
from nubbin.minimizers.predictive import Predictive
from nubbin.minimizers.predictors import Scattered

Start = Callable[[Subset, Settings], Minimizer]


def from_the_end(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` without a look at the front in its first lap, as reductions do."""
    return Hedged.start(kept, replace(settings, alone=False))


def without_leaps(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` so that it asks for every element of a cluster."""
    return Hedged(replace(Predictive.start(kept, settings), hidden=math.inf))


def without_mixture(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` with independent elements of unknown density as its one predictor."""
    sweep = Predictive.start(kept, settings)
    if settings.belief is not None:  # of a list before, which had the one predictor as well
        return Hedged(sweep)
    count = len(sweep.end.belief.predictors)
    one = Belief.of((Scattered.prior(len(kept)),) * count, np.full(count, 1 / count))
    return Hedged(replace(sweep, end=sweep.end.believing(one)))


def without_belief(kept: Subset, settings: Settings) -> Minimizer:
    """Start `auto` so that earlier lists have taught it nothing."""
    return Hedged.start(kept, replace(settings, belief=None))


#: `auto` from the front, and without its other parts, as algorithms of a study.
AUTO_ABLATIONS: dict[str, Start] = {
    "auto-forward": Backward.of(from_the_end),
    "auto-no-leaps": without_leaps,
    "auto-one-predictor": without_mixture,
    "auto-no-belief": without_belief,
    "auto-no-floor": Predictive.start,
}


def by_case(results: Results) -> str:
    """Return the queries on each case, and in brackets the tokens left if `auto` leaves others."""
    names = ["auto", *AUTO_ABLATIONS]
    rows = []
    for suite in results.suites:
        for case in results.cases(suite, names):
            whole = results.figure(case, "auto", "tokens")
            cells = []
            for name in names:
                tokens = results.figure(case, name, "tokens")
                left = "" if tokens == whole else f" ({number(tokens)})"
                cells.append(number(results.figure(case, name, "queries")) + left)
            rows.append([f"{suite}, {case}", *cells])
    return table(["queries (tokens)", *names], rows)


def ratios(results: Results, family: Family, metric: str) -> str:
    """Return what compares each ablation with `auto` in figures, for each suite and for all."""
    return tables.ratios(results, family, metric, [(name, "auto") for name in AUTO_ABLATIONS])
