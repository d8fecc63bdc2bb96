"""Edits: byte spans of a document that go, or get another text, together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nubbin.minimizers.subset import Indices, Subset

Flags = npt.NDArray[np.bool_]

_WORD = re.compile(rb"[0-9A-Za-z_$\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `stop` of a document, and what stands there afterwards."""

    start: int
    stop: int
    text: bytes = b""


#: Spans that belong together: all of them are applied or none is.
Edit = tuple[Span, ...]


class Edits:
    """A list of N edits of the same bytes, any subset of which can be applied at once.

    Where spans overlap the one that starts first wins, of two the longer: what lies inside a
    span that goes is gone. Where a deletion would join two words, a space keeps them apart.
    """

    def __init__(self, data: bytes, edits: Sequence[Edit]):
        self.data = data
        self.edits = edits
        spans = [(span, owner) for owner, edit in enumerate(edits) for span in edit]
        spans.sort(key=lambda pair: (pair[0].start, -pair[0].stop))
        self._owners: Indices = np.array([owner for _, owner in spans], dtype=np.int64)
        self._starts: Indices = np.array([span.start for span, _ in spans], dtype=np.int64)
        self._stops: Indices = np.array([span.stop for span, _ in spans], dtype=np.int64)
        self._texts = [span.text for span, _ in spans]

    def __len__(self) -> int:
        return len(self.edits)

    @property
    def weights(self) -> list[float]:
        """How many bytes shorter each edit alone makes the document, but at least one."""
        return [
            max(1.0, sum(span.stop - span.start - len(span.text) for span in edit))
            for edit in self.edits
        ]

    def render(self, kept: Subset) -> bytes:
        """Return the bytes in which every edit is applied but those kept out.

        Linear in the spans, in C, and in Python in those applied that lie apart.
        """
        applied = np.ones(len(self.edits), dtype=bool)
        applied[kept.indices] = False
        return self.apply(applied)

    def apply(self, applied: Flags) -> bytes:
        """Return the bytes in which the edits flagged are applied: flags of shape (N,)."""
        chosen = np.flatnonzero(applied[self._owners])
        # Sorted by start: a span counts from where all before it end, if it reaches further.
        stops = self._stops[chosen]
        reached = np.maximum.accumulate(np.concatenate(([0], stops)))[:-1]
        outside = stops > reached
        starts = np.maximum(self._starts[chosen], reached)[outside].tolist()
        parts, at = [], 0
        chosen, stops = chosen[outside], stops[outside].tolist()
        for which, start, stop in zip(chosen.tolist(), starts, stops, strict=True):
            # What another span has begun is not replaced a second time.
            text = self._texts[which] if start == self._starts[which] else b""
            if start > at or text:
                parts.append(self.data[at:start])
                parts.append(text)
            at = stop
        parts.append(self.data[at:])
        return _joined(parts)


def _joined(parts: list[bytes]) -> bytes:
    """Join parts, with a space where two would make one word."""
    whole = [part for part in parts if part]
    out = whole[:1]
    for part in whole[1:]:
        if _WORD.match(part) and _WORD.match(out[-1][-1:]):
            out.append(b" ")
        out.append(part)
    return b"".join(out)


def whole_lines(data: bytes, start: int, stop: int) -> tuple[int, int]:
    """Widen a span that is alone on its lines to all of them, indentation and line end too."""
    first = start
    while first > 0 and data[first - 1] in b" \t":
        first -= 1
    last = stop
    while last < len(data) and data[last] in b" \t\r":
        last += 1
    begins = first == 0 or data[first - 1] == 10
    if begins and last < len(data) and data[last] == 10:
        return first, last + 1
    return (first, last) if begins and last == len(data) else (start, stop)
