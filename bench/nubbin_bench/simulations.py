"""The parts of pages that need no record: claims that are checked by simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from nubbin.research import Algorithm
from nubbin_bench import (
    ablations,
    baseline,
    binary_search,
    compare,
    minimality,
    probability,
    probes,
    recorded,
    running_example,
    small_lists,
    theory,
)

Parts = dict[str, Callable[..., str]]


def _named(names: Sequence[str]) -> list[Algorithm]:
    return [Algorithm.named(name) for name in names]


def simulations() -> Parts:
    """Return the parts that need no record; each is computed once."""
    parts: Parts = {
        "running-example-results": running_example.results,
        "running-example": lambda: "\n\n".join(running_example.tables()),
        "probability": lambda n, p0: probability.probability(int(n), float(p0)),
        "probability-fit": lambda *lists: probability.fit(
            (int(n), float(p0)) for n, _, p0 in (each.partition("/") for each in lists)
        ),
        "lithium": theory.lithium,
        "lithium-outside": theory.lithium_outside,
        "lithium-spaced": theory.spaced,
        "one-minimal": lambda most: minimality.one_minimal(int(most)),
        "checking": lambda most: minimality.checking(int(most)),
        "bisect-ahead": binary_search.bisect_ahead,
        "bisect-average": binary_search.average,
        "prefixes": binary_search.prefixes,
        "quadratic": theory.quadratic,
        "padding": lambda most: small_lists.padding(int(most)),
        "padding-false": lambda most: small_lists.padding_false(int(most)),
        "repeats-false": lambda most: small_lists.repeats_false(int(most)),
        "segments": probes.segments,
        "segments-growth": probes.growth,
        "starting-again": lambda *sizes: probes.starting_again(*map(int, sizes)),
        "starting-again-at": lambda k, *sizes: probes.starting_again_at(int(k), *map(int, sizes)),
        "probes": probes.probes,
        "probes-most": probes.plain_probe_most,
        "crossover": lambda n, draws: probes.crossover(int(n), int(draws)),
        "crossover-at": lambda n, draws, *shares: probes.crossover_at(
            int(n), int(draws), *map(float, shares)
        ),
        "ablations": lambda n: ablations.ablations(int(n)),
        "programs": lambda n: ablations.programs(int(n)),
        "programs-range": lambda n: ablations.programs_range(int(n)),
        "baseline": baseline.baseline,
        "baseline-draws": lambda: f"{baseline.DRAWS}",
        "baseline-over": baseline.over,
        "recorded": lambda: compare.compare(_named(compare.ON_THE_PAGE)),
        "recorded-over": lambda one, other: compare.over(
            Algorithm.named(one), Algorithm.named(other)
        ),
        "held-out": lambda: compare.held_out(_named(compare.DEFAULT)),
        "recorded-problems": lambda: f"{len(list(recorded.oracles())):,}",
        "ablation-draws": lambda: f"{ablations.DRAWS}",
        "blocks": theory.blocks,
        "worst-block": theory.worst_block,
        "densities": lambda n, draws: theory.densities(int(n), int(draws)),
        "densities-range": lambda n, draws: theory.densities_range(int(n), int(draws)),
        "ddmin-over-lithium": lambda n: theory.ddmin_over_lithium(int(n)),
    }
    return {name: cache(part) for name, part in parts.items()}
