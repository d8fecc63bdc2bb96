"""In which order, till when? The whole run: schedule, budget, fixpoint."""

from nubbin.oracles.errors import NubbinError
from nubbin.reduction.reduce import reduce
from nubbin.reduction.reduction import Reduction

__all__ = ["NubbinError", "Reduction", "reduce"]
