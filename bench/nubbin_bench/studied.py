"""The algorithms that a study compares beside nubbin's own: what was published as a program."""

from __future__ import annotations

from collections.abc import Callable

from nubbin_bench.artifact.ddmin_programs import DdminProgram
from nubbin_bench.artifact.probabilistic_programs import ProbabilisticProgram
from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset

#: What starts each published program, by the name that its entry point has.
PROGRAMS: dict[str, Callable[[Subset, Settings], Minimizer]] = {
    "cdd-artifact": ProbabilisticProgram.start_cdd,
    "cdd-shuffled": ProbabilisticProgram.start_cdd_shuffled,
    "ddmin-artifact": DdminProgram.start_in_artifact,
    "ddmin-picire": DdminProgram.start,
    "probdd-artifact": ProbabilisticProgram.start_probdd,
}

#: The algorithms in the tables of record/limits.md.
STUDIED = {**ALGORITHMS, "cdd-artifact": PROGRAMS["cdd-artifact"]}
