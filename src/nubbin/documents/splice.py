"""Tidy the white space around deleted ranges, and cut these out of a document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

WORD_BYTES = bytes(
    byte for byte in range(256) if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$"
)
BLANKS = b" \t\f\v"
LINE_ENDS = b"\r\n"
# Two of the same make another mark, and so do the two that open or close a comment.
_DOUBLED = b"+-&|=<*/"


def _table(chosen: bytes) -> Mask:
    table = np.zeros(256, dtype=np.bool_)
    table[list(chosen)] = True
    return table


IS_WORD = _table(WORD_BYTES)
IS_BLANK = _table(BLANKS)
IS_LINE_END = _table(LINE_ENDS)
_IS_DOUBLED = _table(_DOUBLED)
_GLUES = (IS_WORD[:, None] & IS_WORD) | (np.eye(256, dtype=np.bool_) & _IS_DOUBLED)
_GLUES[ord("/"), ord("*")] = _GLUES[ord("*"), ord("/")] = True


def glued(left: int, right: int) -> bool:
    """Tell whether two bytes would run together into another token."""
    return bool(_GLUES[left, right])


def apart(data: bytes, start: int, stop: int, text: bytes) -> bytes:
    """Return a text that replaces a part of a document, with spaces between it and its neighbours
    where they would run together.
    """
    before, after = data[start - 1 : start], data[stop : stop + 1]
    if not text:
        return b" " if before and after and glued(before[0], after[0]) else b""
    left = b" " if before and glued(before[0], text[0]) else b""
    return left + text + (b" " if after and glued(text[-1], after[0]) else b"")


#: The start and the stop of a part of a document.
Span = tuple[int, int]
Offsets = npt.NDArray[np.int64]


def line_around(data: bytes, span: Span) -> Span:
    """Return the span of the lines that a span is on."""
    stop = data.find(b"\n", span[1])
    return data.rfind(b"\n", 0, span[0]) + 1, len(data) if stop < 0 else stop


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Disjoint byte ranges to delete, in order: cut i is starts[i]..stops[i]-1.

    If `texts` has an i, that text replaces cut i.
    """

    starts: Offsets
    stops: Offsets
    texts: dict[int, bytes]


class Layout:
    """The white space of one document, with which cuts are tidied.

    - Cuts with only blanks between them become one.
    - A cut with only blanks around it on its lines deletes these whole lines.
    - A cut at the end of a line also deletes the blanks before it. Elsewhere, if there are blanks
    on both sides, it deletes those after it.
    - If two bytes meet that would make another token, a space is put between them.

    A cut with a text deletes no white space around it.
    """

    __slots__ = ("_blank_edges", "_bytes", "_size")

    def __init__(self, data: bytes):
        self._size = len(data)
        # Between line ends, so that each offset has a byte before it and two after it.
        self._bytes = np.frombuffer(b"\n%b\n\n" % data, dtype=np.uint8)
        is_blank = np.frombuffer(data.translate(IS_BLANK.tobytes()), dtype=np.bool_)
        # The offsets at which blanks begin and end, by turns, and one that no cut reaches.
        edges = np.diff(is_blank, prepend=False, append=False).nonzero()[0]
        self._blank_edges = np.append(edges, len(data) + 1)

    def tidied(self, cuts: Cuts) -> Cuts:
        """Return the cuts with the white space that they delete, and with spaces as needed."""
        cuts = self._bridged(cuts)
        starts, stops = cuts.starts, cuts.stops
        is_textless = without_text(cuts)
        # A cut that ends with a line end takes nothing of the next line.
        ended = (stops > starts) & IS_LINE_END[self._before(stops)]
        left, right = self._blanks_before(starts), self._blanks_after(stops)
        right = np.where(ended, stops, right)
        at_begin = IS_LINE_END[self._before(left)]
        at_end = ended | IS_LINE_END[self._at(right)]
        lines = is_textless & at_begin & at_end
        tail = is_textless & ~at_begin & at_end
        middle = is_textless & ~at_end & (right > stops) & (at_begin | (left < starts))
        next_line = np.where(ended, stops, self._line_end_after(right))
        stops = np.where(lines, next_line, np.where(tail | middle, right, stops))
        stops[:-1] = np.minimum(stops[:-1], starts[1:])
        starts = np.where(lines | tail, left, starts)
        starts[1:] = np.maximum(starts[1:], stops[:-1])
        return self._spaced(_merged(Cuts(starts, stops, cuts.texts)))

    def _bridged(self, cuts: Cuts) -> Cuts:
        """Merge textless cuts with only blanks between them."""
        is_textless = without_text(cuts)
        reached = np.where(is_textless, self._blanks_after(cuts.stops), cuts.stops)
        reached[:-1] = np.where(
            is_textless[1:] & (reached[:-1] >= cuts.starts[1:]), cuts.starts[1:], cuts.stops[:-1]
        )
        reached[-1:] = cuts.stops[-1:]
        return _merged(Cuts(cuts.starts, reached, cuts.texts))

    def _spaced(self, cuts: Cuts) -> Cuts:
        """Put a space between bytes that would run together."""
        left, right = self._before(cuts.starts), self._at(cuts.stops)
        meet = _GLUES[left, right] & without_text(cuts)
        texts = dict.fromkeys(meet.nonzero()[0].tolist(), b" ")
        for cut, text in cuts.texts.items():
            before = b" " if glued(left[cut], text[0]) else b""
            after = b" " if glued(text[-1], right[cut]) else b""
            texts[cut] = before + text + after
        return Cuts(cuts.starts, cuts.stops, texts)

    # -- looking around ----------------------------------------------------------------

    def _blanks_before(self, offsets: Offsets) -> Offsets:
        """Return the start of the blanks that end at each offset; the offset itself if none do."""
        edge = self._blank_edges.searchsorted(offsets, side="left")
        return np.where(edge & 1, self._blank_edges[edge - 1], offsets)

    def _blanks_after(self, offsets: Offsets) -> Offsets:
        """Return the end of the blanks that begin at each offset; the offset itself if none do."""
        edge = self._blank_edges.searchsorted(offsets, side="right")
        return np.where(edge & 1, self._blank_edges[edge], offsets)

    def _line_end_after(self, offsets: Offsets) -> Offsets:
        """Return the offset after the line end at each offset; CR LF is one line end."""
        pair = (self._at(offsets) == ord("\r")) & (self._at(offsets + 1) == ord("\n"))
        after: Offsets = np.minimum(offsets + 1 + pair, self._size)
        return after

    def _at(self, offsets: Offsets) -> Bytes:
        return self._bytes[offsets + 1]

    def _before(self, offsets: Offsets) -> Bytes:
        return self._bytes[offsets]


def without_text(cuts: Cuts) -> Mask:
    """Return which cuts have no text."""
    textless = np.ones(cuts.starts.size, dtype=np.bool_)
    textless[list(cuts.texts)] = False
    return textless


def _merged(cuts: Cuts, gap: int = 1) -> Cuts:
    """Merge cuts, given in the order of their starts, with fewer than `gap` bytes between them."""
    reach = np.maximum.accumulate(cuts.stops)
    apart = cuts.starts[1:] - reach[:-1] >= gap
    if apart.all():
        return cuts
    heads = np.concatenate(([True], apart)).nonzero()[0]
    tails = np.append(heads[1:], cuts.starts.size) - 1
    texts: dict[int, bytes] = {}
    for cut, text in cuts.texts.items():
        into = int(heads.searchsorted(cut, side="right")) - 1
        texts[into] = texts.get(into, b"") + text
    return Cuts(cuts.starts[heads], reach[tails], texts)


def joined(cuts: Cuts, others: Cuts) -> Cuts:
    """Return all cuts as one; those that overlap become one, with their texts in order."""
    starts = np.concatenate((cuts.starts, others.starts))
    stops = np.concatenate((cuts.stops, others.stops))
    order = np.lexsort((stops, starts))
    given = cuts.texts | {cuts.starts.size + n: text for n, text in others.texts.items()}
    texts = {n: given[cut] for n, cut in enumerate(order.tolist()) if cut in given} if given else {}
    return _merged(Cuts(starts[order], stops[order], texts), gap=0)


def spliced(data: bytes, cuts: Cuts) -> bytes:
    """Return the data with the cuts replaced by their texts; linear."""
    ends = zip([0, *cuts.stops.tolist()], [*cuts.starts.tolist(), len(data)], strict=True)
    parts = [b""] * (2 * cuts.starts.size + 1)
    parts[::2] = [data[start:stop] for start, stop in ends]
    for cut, text in cuts.texts.items():
        parts[2 * cut + 1] = text
    return b"".join(parts)
