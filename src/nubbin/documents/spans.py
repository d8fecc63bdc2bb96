"""Spans of a document: replacements and areas. Without numpy, for the parser's process."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple


class Replacement(NamedTuple):
    """Bytes `start` to `stop` - 1 of a document, and the text that replaces them."""

    start: int
    stop: int
    text: bytes = b""


def replaced(data: bytes, part: Replacement, spans: Sequence[Replacement]) -> bytes:
    """Return the bytes of a part of a document with spans in it replaced, in order and disjoint."""
    pieces, at = [], part.start
    for start, stop, text in spans:
        pieces += [data[at:start], text]
        at = stop
    return b"".join((*pieces, data[at : part.stop]))


class Areas(NamedTuple):
    """Where areas of a document start and stop: in order and disjoint, two lists of one length."""

    starts: list[int]
    stops: list[int]

    @classmethod
    def covering(cls, spans: Iterable[tuple[int, int]]) -> Areas:
        """Return where spans lie, which may come in any order; those that overlap are one area."""
        starts, stops = list[int](), list[int]()
        for start, stop in sorted(spans):
            if stops and start < stops[-1]:
                stops[-1] = max(stop, stops[-1])
            else:
                starts.append(start)
                stops.append(stop)
        return cls(starts, stops)

    def joined(self, others: Areas) -> Areas:
        """Return the areas with others."""
        return Areas.covering(chain(zip(*self, strict=True), zip(*others, strict=True)))

    def hold(self, start: int, stop: int) -> bool:
        """Tell whether a span lies inside one of the areas."""
        at = bisect_right(self.starts, start) - 1
        return at >= 0 and stop <= self.stops[at]


#: No areas, as in a document in which nothing is protected.
NO_AREAS = Areas([], [])

#: Finds the areas of a document that no edit may change.
Protected = Callable[[bytes], Areas]
