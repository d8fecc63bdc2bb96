"""The algorithms that a study compares: nubbin's own, those of other fields, published programs."""

from __future__ import annotations

from nubbin_bench.artifact.ddmin_programs import DdminProgram
from nubbin_bench.artifact.probabilistic_programs import ProbabilisticProgram
from nubbin_bench.progression import Progression
from nubbin_bench.quickxplain import QuickXplain
from nubbin_core.minimizers import ALGORITHMS, Start

#: What starts each published program, by the name that its entry point has.
PROGRAMS: dict[str, Start] = {
    "cdd-artifact": ProbabilisticProgram.start_cdd,
    "cdd-shuffled": ProbabilisticProgram.start_cdd_shuffled,
    "ddmin-artifact": DdminProgram.start_in_artifact,
    "ddmin-picire": DdminProgram.start,
    "probdd-artifact": ProbabilisticProgram.start_probdd,
}

#: The algorithms of record/limits.md, by the names that nubbin or an entry point gives them.
STUDIED = {
    **ALGORITHMS,
    "cdd-artifact": PROGRAMS["cdd-artifact"],
    "progression": Progression.start,
    "quickxplain": QuickXplain.start,
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
