"""The baselines from the other end of a list: where uses come after definitions, `auto`'s end."""

from __future__ import annotations

from nubbin_core.minimizers import ALGORITHMS
from nubbin_core.minimizers.wrappers import Backward

cdd = Backward.of(ALGORITHMS["cdd"])
ddmin = Backward.of(ALGORITHMS["ddmin"])
lithium = Backward.of(ALGORITHMS["lithium"])
probdd = Backward.of(ALGORITHMS["probdd"])
