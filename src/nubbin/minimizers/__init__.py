"""Which subset next? List-minimisation algorithms as immutable ask/tell states."""

from __future__ import annotations

from collections.abc import Callable

from nubbin.minimizers.bayesian.belief import Belief
from nubbin.minimizers.bayesian.heavy_first import HeavyFirst
from nubbin.minimizers.bayesian.hedged import learned
from nubbin.minimizers.bayesian.rivals import Rivalled
from nubbin.minimizers.bayesian.waves import Waves
from nubbin.minimizers.checkers import is_clustered, is_minimal, is_monotone
from nubbin.minimizers.last_element import LastElement
from nubbin.minimizers.minimizer import Minimizer, Query, Settings
from nubbin.minimizers.published.adaptive import Adaptive
from nubbin.minimizers.published.bisect import Bisect
from nubbin.minimizers.published.cdd import CDD
from nubbin.minimizers.published.ddmin import Ddmin
from nubbin.minimizers.published.exhaustive import Exhaustive
from nubbin.minimizers.published.greedy import Greedy
from nubbin.minimizers.published.linear import Linear
from nubbin.minimizers.published.lithium import Lithium
from nubbin.minimizers.published.opdd import OnePass
from nubbin.minimizers.published.probdd import ProbDD
from nubbin.minimizers.published.progression import Progression
from nubbin.minimizers.published.quickxplain import QuickXplain
from nubbin.minimizers.published.wdd import WDD
from nubbin.minimizers.subset import EMPTY, Subset
from nubbin.minimizers.uses import Uses

#: Starts each algorithm, by name, on a subset. A new algorithm is added here and nowhere else.
ALGORITHMS: dict[str, Callable[[Subset, Settings], Minimizer]] = {
    "auto": Rivalled.start,
    "adaptive": Adaptive.start,
    "bisect": Bisect.start,
    "cdd": CDD.start,
    "ddmin": Ddmin.start,
    "exhaustive": Exhaustive.up_to(2),
    "greedy": Greedy.start,
    "heavy-first": HeavyFirst.start,
    "linear": Linear.start,
    "lithium": Lithium.start,
    "opdd": OnePass.start,
    "probdd": ProbDD.start,
    "probdd-no-random": ProbDD.start_in_order,
    "progression": Progression.start,
    "quickxplain": QuickXplain.start,
    "waves": Waves.start,
    "wdd": WDD.start,
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
