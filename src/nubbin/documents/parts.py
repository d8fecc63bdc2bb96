"""Parts of a document, as those that must stay."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple


class Parts(NamedTuple):
    """Where parts of a document start and stop: in order and disjoint, two lists of one length."""

    starts: list[int]
    stops: list[int]

    def hold(self, start: int, stop: int) -> bool:
        """Tell whether a span lies inside one of the parts."""
        at = bisect_right(self.starts, start) - 1
        return at >= 0 and stop <= self.stops[at]


#: A document of which nothing must stay.
NO_PARTS = Parts([], [])

#: Finds the parts of a document that must stay.
Protected = Callable[[bytes], Parts]
