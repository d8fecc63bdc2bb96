"""Seams: what is left and right of what goes, and how the two come together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nubbin.documents.token_glue import IS_BLANK, IS_LINE_END, glued, glues

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Disjoint byte ranges in order, starts[i]..stops[i]-1, that go; texts[i] appears instead."""

    starts: Places
    stops: Places
    texts: dict[int, bytes]


class Seams:
    """The layout of one document, by which the runs that go are made tidy.

    - Runs with nothing but blanks between them go as one.
    - A run with nothing but blanks around it on its lines takes these lines whole.
    - One at the end of a line takes the blanks before it; elsewhere, if blanks are on both
      sides, those after it.
    - Where two bytes meet that would run together into another token, a space is put between.

    A run in whose place a text appears takes no layout with it.
    """

    __slots__ = ("_blank_edges", "_bytes")

    def __init__(self, data: bytes):
        self._bytes = np.frombuffer(data, dtype=np.uint8)
        is_blank = np.frombuffer(data.translate(IS_BLANK.tobytes()), dtype=np.bool_)
        # The places where blanks begin and end, by turns.
        self._blank_edges = np.flatnonzero(np.diff(is_blank, prepend=False, append=False))

    def tidied(self, runs: Runs) -> Runs:
        """Return the runs with the layout that goes with them, and the spaces their seams need."""
        runs = self._joined(runs)
        starts, stops = runs.starts, runs.stops
        textless = _textless(runs)
        # A run that brings its own line end has nothing of the next line to take.
        ended = (stops > starts) & self._ends_line(stops - 1)
        left, right = self._blanks_before(starts), self._blanks_after(stops)
        right = np.where(ended, stops, right)
        at_begin = (left == 0) | self._ends_line(left - 1)
        at_end = ended | (right == self._bytes.size) | self._ends_line(right)
        lines = textless & at_begin & at_end
        tail = textless & ~at_begin & at_end
        middle = textless & ~at_end & (right > stops) & (at_begin | (left < starts))
        next_line = np.where(ended, stops, self._line_end_after(right))
        stops = np.where(lines, next_line, np.where(tail | middle, right, stops))
        stops[:-1] = np.minimum(stops[:-1], starts[1:])
        starts = np.where(lines | tail, left, starts)
        starts[1:] = np.maximum(starts[1:], stops[:-1])
        return self._spaced(_merged(Runs(starts, stops, runs.texts)))

    def _joined(self, runs: Runs) -> Runs:
        """Join textless runs that only blanks part."""
        textless = _textless(runs)
        reached = np.where(textless, self._blanks_after(runs.stops), runs.stops)
        reached[:-1] = np.where(
            textless[1:] & (reached[:-1] >= runs.starts[1:]), runs.starts[1:], runs.stops[:-1]
        )
        reached[-1:] = runs.stops[-1:]
        return _merged(Runs(runs.starts, reached, runs.texts))

    def _spaced(self, runs: Runs) -> Runs:
        """Put a space wherever bytes meet that must not."""
        size = self._bytes.size
        left = self._bytes[np.maximum(runs.starts - 1, 0)] if size else self._bytes[:0]
        right = self._bytes[np.minimum(runs.stops, size - 1)] if size else self._bytes[:0]
        meet = (runs.starts > 0) & (runs.stops < size) & glues(left, right) if size else left > 0
        texts = {int(run): b" " for run in np.flatnonzero(meet & _textless(runs))}
        data = self._bytes
        for run, text in runs.texts.items():
            start, stop = int(runs.starts[run]), int(runs.stops[run])
            before = b" " if start > 0 and glued(data[start - 1], text[0]) else b""
            after = b" " if stop < size and glued(text[-1], data[stop]) else b""
            texts[run] = before + text + after
        return Runs(runs.starts, runs.stops, texts)

    # -- looking around ----------------------------------------------------------------

    def _blanks_before(self, places: Places) -> Places:
        """Return where the blanks begin that end at each place, itself if none do."""
        edge = np.searchsorted(self._blank_edges, places, side="left")
        inside = edge & 1 == 1
        return np.where(inside, self._edge(edge - 1), places)

    def _blanks_after(self, places: Places) -> Places:
        """Return where the blanks end that begin at each place."""
        edge = np.searchsorted(self._blank_edges, places, side="right")
        return np.where(edge & 1 == 1, self._edge(edge), places)

    def _edge(self, edges: Places) -> Places:
        if not self._blank_edges.size:
            return edges
        found: Places = self._blank_edges[np.clip(edges, 0, self._blank_edges.size - 1)]
        return found

    def _ends_line(self, places: Places) -> npt.NDArray[np.bool_]:
        inside = (places >= 0) & (places < self._bytes.size)
        return inside & IS_LINE_END[self._at(places)]

    def _line_end_after(self, places: Places) -> Places:
        """Return the place after the line end at each place: CR LF is one."""
        carriage = self._at(places) == ord("\r")
        pair = carriage & (self._at(places + 1) == ord("\n")) & (places + 1 < self._bytes.size)
        after: Places = np.minimum(places + 1 + pair, self._bytes.size)
        return after

    def _at(self, places: Places) -> npt.NDArray[np.uint8]:
        if not self._bytes.size:
            return np.zeros(places.shape, dtype=np.uint8)
        return self._bytes[np.clip(places, 0, self._bytes.size - 1)]


def _textless(runs: Runs) -> npt.NDArray[np.bool_]:
    textless = np.ones(runs.starts.size, dtype=np.bool_)
    textless[list(runs.texts)] = False
    return textless


def _merged(runs: Runs) -> Runs:
    """Make one run of those that touch."""
    if not runs.starts.size:
        return runs
    heads = np.flatnonzero(np.concatenate(([True], runs.starts[1:] > runs.stops[:-1])))
    tails = np.append(heads[1:], runs.starts.size) - 1
    texts: dict[int, bytes] = {}
    for run, text in runs.texts.items():
        into = int(np.searchsorted(heads, run, side="right")) - 1
        texts[into] = texts.get(into, b"") + text
    return Runs(runs.starts[heads], runs.stops[tails], texts)


def spliced(data: bytes, runs: Runs) -> bytes:
    """Return the data without the runs, and with their texts in their places."""
    if all(text == b" " for text in runs.texts.values()) and _roomy(runs):
        return _masked(data, runs)
    parts: list[bytes] = []
    reached = 0
    for run, (start, stop) in enumerate(
        zip(runs.starts.tolist(), runs.stops.tolist(), strict=True)
    ):
        parts.append(data[reached:start])
        if run in runs.texts:
            parts.append(runs.texts[run])
        reached = stop
    parts.append(data[reached:])
    return b"".join(parts)


def _roomy(runs: Runs) -> bool:
    spaced = list(runs.texts)
    return bool(np.all(runs.stops[spaced] > runs.starts[spaced]))


def _masked(data: bytes, runs: Runs) -> bytes:
    """Splice without a loop: a space that is needed takes the place of a byte that goes."""
    ends = np.empty(2 * runs.starts.size + 2, dtype=np.int64)
    ends[0], ends[1:-1:2], ends[2:-1:2], ends[-1] = 0, runs.starts, runs.stops, len(data)
    keeps = np.arange(ends.size - 1) % 2 == 0
    kept = np.repeat(keeps, np.diff(ends))
    spaced = runs.starts[list(runs.texts)]
    source = np.frombuffer(data, dtype=np.uint8)
    if spaced.size:
        source = source.copy()
        source[spaced] = ord(" ")
        kept[spaced] = True
    left: bytes = source[kept].tobytes()
    return left
