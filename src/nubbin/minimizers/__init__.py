"""Which subset next? List-minimisation algorithms as immutable ask/tell states."""

from __future__ import annotations

from collections.abc import Callable

from nubbin.minimizers.linear import Linear
from nubbin.minimizers.minimizer import Minimizer, Query, Settings
from nubbin.minimizers.subset import EMPTY, Subset

#: Every algorithm by name: what starts it on a subset. An algorithm is added here and nowhere else.
ALGORITHMS: dict[str, Callable[[Subset, Settings], Minimizer]] = {
    "auto": Linear.start,
    "linear": Linear.start,
}

__all__ = ["ALGORITHMS", "EMPTY", "Minimizer", "Query", "Settings", "Subset"]
