"""Algorithms that minimize a list, as immutable states that are asked and told."""

from __future__ import annotations

from nubbin_core.algorithms import ALGORITHMS
from nubbin_core.minimizers.bayesian.auto import learned
from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.checkers import is_clustered, is_minimal, is_monotone
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings, Start
from nubbin_core.minimizers.subset import EMPTY, Subset
from nubbin_core.minimizers.uses import Uses
from nubbin_core.minimizers.wrappers import LastElement

__all__ = [
    "ALGORITHMS",
    "EMPTY",
    "Belief",
    "LastElement",
    "Minimizer",
    "Query",
    "Settings",
    "Start",
    "Subset",
    "Uses",
    "is_clustered",
    "is_minimal",
    "is_monotone",
    "learned",
]
