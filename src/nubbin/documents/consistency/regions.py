"""Lengths and checksums: numbers of a file that follow from the bytes of a region of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.moved import Moved, SpanTable
from nubbin.documents.splice import Cuts, Mask, Offsets, joined, spliced

#: What is made of the bytes of a region; a field takes the lowest bytes of it.
CHECKSUMS: tuple[Callable[[bytes], int], ...] = (zlib.crc32, zlib.adler32, sum)
#: Stands for a checksum where a number is the length of its region.
_LENGTH = -1


class Region(NamedTuple):
    """A number that is `add`, and as many as there are bytes in `first` to `last` - 1.

    Or one of `CHECKSUMS` of these bytes.
    """

    start: int
    stop: int
    code: Code
    first: int
    last: int
    add: int = 0
    checksum: int = _LENGTH


@dataclass(frozen=True, eq=False)
class Fields(SpanTable):
    """Where numbers stand in a file, and how they are written: arrays of shape (N,)."""

    codes: Offsets

    def whole(self, cuts: Cuts) -> Mask:
        """Return which of them no cut touches."""
        before = np.searchsorted(cuts.stops, self.starts, side="right")
        whole: Mask = before == np.searchsorted(cuts.starts, self.stops, side="left")
        return whole

    def written(self, data: bytes, cuts: Cuts, values: Offsets) -> Cuts:
        """Return cuts that write `values` too; a number for which there is no room stays."""
        room: list[bool] = []
        texts: list[bytes] = []
        columns = (self.starts, self.stops, self.codes, values)
        for start, stop, code, value in zip(*(each.tolist() for each in columns), strict=True):
            text = Code(code).write(value, data[start:stop])
            room.append(text is not None)
            texts += [] if text is None else [text]
        chosen: Mask = np.array(room, dtype=np.bool_)
        more = Cuts(self.starts[chosen], self.stops[chosen], dict(enumerate(texts)))
        return joined(cuts, more)


@dataclass(frozen=True, eq=False)
class Regions(Fields):
    """The lengths and checksums of one file: arrays of shape (R,), the innermost regions first."""

    regions: SpanTable
    adds: Offsets
    checksums: Offsets
    depths: Offsets  # of lengths: in how many other regions the number stands

    @classmethod
    def of(cls, regions: Iterable[Region]) -> Regions:
        """Return regions, none of which overlaps another in part."""
        inside = sorted(regions, key=lambda region: (region.last - region.first, region.start))
        columns = np.array(inside, dtype=np.int64).reshape(-1, len(Region._fields)).T
        starts, stops, codes, firsts, lasts, adds, checksums = columns
        begun = np.searchsorted(np.sort(firsts), starts, side="right")
        ended = np.searchsorted(np.sort(lasts), starts, side="right")
        return cls(starts, stops, codes, SpanTable(firsts, lasts), adds, checksums, begun - ended)

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Regions]:
        """Return cuts that make all numbers right, and the regions after them.

        A number that is cut, even in part, follows from nothing any more. Linear in the bytes if
        there are checksums, and else in the regions, for each depth of them.
        """
        if not self.starts.size:
            return cuts, self
        left = self.at(self.whole(cuts))
        is_length = left.checksums == _LENGTH
        for depth in np.unique(left.depths[is_length])[::-1]:
            at = left.at(is_length & (left.depths == depth))
            now = at.regions.moved(Moved(cuts))
            sizes = now.stops - now.starts
            changed = sizes != at.regions.stops - at.regions.starts
            cuts = at.at(changed).written(data, cuts, (at.adds + sizes)[changed])
        if not is_length.all():
            cuts = left.at(~is_length)._checked(data, cuts)
        return cuts, left.moved(Moved(cuts))

    def _checked(self, data: bytes, cuts: Cuts) -> Cuts:
        """Return cuts that make the numbers right too, all of which are checksums."""
        new = bytearray(spliced(data, cuts))
        now = self.moved(Moved(cuts))
        spans = (now.starts, now.stops, now.regions.starts, now.regions.stops)
        values = []
        for start, stop, first, last, code, kind in zip(
            *(column.tolist() for column in (*spans, self.codes, self.checksums)), strict=True
        ):
            value = CHECKSUMS[kind](bytes(new[first:last])) % 256 ** (stop - start)
            new[start:stop] = Code(code).write(value, b"") or b""
            values.append(value)
        return self.written(data, cuts, np.array(values, dtype=np.int64))
