"""Which subset next? List-minimisation algorithms as immutable ask/tell states."""

from __future__ import annotations

from collections.abc import Callable

from nubbin_core.late import late
from nubbin_core.minimizers.bayesian.auto import learned
from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.checkers import is_clustered, is_minimal, is_monotone
from nubbin_core.minimizers.last_element import LastElement
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset
from nubbin_core.minimizers.uses import Uses

#: Starts each algorithm, by name, on a subset. A new algorithm is added here and nowhere else. Its
#: module is imported when it starts.
ALGORITHMS: dict[str, Callable[[Subset, Settings], Minimizer]] = {
    name: late(f"{__name__}.{home}")
    for name, home in {
        "auto": "bayesian.auto:Auto.start",
        "adaptive": "published.adaptive:Adaptive.start",
        "bisect": "published.bisect:Bisect.start",
        "cdd": "published.cdd:CDD.start",
        "ddmin": "published.ddmin:Ddmin.start",
        "exhaustive": "published.exhaustive:PAIRS",
        "greedy": "published.greedy:Greedy.start",
        "heavy-first": "bayesian.heavy_first:HeavyFirst.start",
        "linear": "published.linear:Linear.start",
        "lithium": "published.lithium:Lithium.start",
        "opdd": "published.opdd:OnePass.start",
        "probdd": "published.probdd:ProbDD.start",
        "probdd-no-random": "published.probdd:ProbDD.start_in_order",
        "progression": "published.progression:Progression.start",
        "quickxplain": "published.quickxplain:QuickXplain.start",
        "waves": "bayesian.waves:Waves.start",
        "wdd": "published.wdd:WDD.start",
    }.items()
}

#: The algorithms whose result is 1-minimal in every problem whose empty subset is uninteresting,
#: and, inside `LastElement`, in every problem. In a monotone problem (every superset of an
#: interesting subset is interesting) the results of all algorithms are.
ONE_MINIMAL = frozenset(
    {
        "adaptive",
        "auto",
        "ddmin",
        "exhaustive",
        "greedy",
        "heavy-first",
        "linear",
        "lithium",
        "waves",
        "wdd",
    },
)

__all__ = [
    "ALGORITHMS",
    "EMPTY",
    "ONE_MINIMAL",
    "Belief",
    "LastElement",
    "Minimizer",
    "Query",
    "Settings",
    "Subset",
    "Uses",
    "is_clustered",
    "is_minimal",
    "is_monotone",
    "learned",
]
