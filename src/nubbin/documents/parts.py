"""Parts of a document, as those that must stay."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Parts(NamedTuple):
    """Where parts of a document start and stop: in order and disjoint, two lists of one length."""

    starts: list[int]
    stops: list[int]

    @classmethod
    def covering(cls, spans: Iterable[tuple[int, int]]) -> Parts:
        """Return where spans lie, which may come in any order; those that overlap are one part."""
        starts, stops = list[int](), list[int]()
        for start, stop in sorted(spans):
            if stops and start < stops[-1]:
                stops[-1] = max(stop, stops[-1])
            else:
                starts.append(start)
                stops.append(stop)
        return cls(starts, stops)

    def hold(self, start: int, stop: int) -> bool:
        """Tell whether a span lies inside one of the parts."""
        at = bisect_right(self.starts, start) - 1
        return at >= 0 and stop <= self.stops[at]


#: A document of which nothing must stay.
NO_PARTS = Parts([], [])

#: Finds the parts of a document that must stay.
Protected = Callable[[bytes], Parts]
