"""Lengths and checksums: numbers of a file that follow from the bytes of a region of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.moved import Moved
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


class Fields(NamedTuple):
    """Where numbers stand in a file, and how they are written: arrays of shape (N,)."""

    starts: Offsets
    stops: Offsets
    codes: Offsets

    def at(self, chosen: Offsets | Mask) -> Fields:
        """Return those of some numbers."""
        return Fields(self.starts[chosen], self.stops[chosen], self.codes[chosen])

    def whole(self, cuts: Cuts) -> Mask:
        """Return which of them no cut touches."""
        before = np.searchsorted(cuts.stops, self.starts, side="right")
        whole: Mask = before == np.searchsorted(cuts.starts, self.stops, side="left")
        return whole

    def moved(self, moved: Moved) -> Fields:
        """Return where they stand after cuts."""
        return Fields(moved.starts(self.starts), moved.stops(self.stops), self.codes)

    def written(self, data: bytes, cuts: Cuts, values: Offsets) -> Cuts:
        """Return cuts that write `values` too; a number for which there is no room stays."""
        room: list[bool] = []
        texts: list[bytes] = []
        columns = (*self, values)
        for start, stop, code, value in zip(*(each.tolist() for each in columns), strict=True):
            text = Code(code).write(value, data[start:stop])
            room.append(text is not None)
            texts += [] if text is None else [text]
        chosen: Mask = np.array(room, dtype=np.bool_)
        more = Cuts(self.starts[chosen], self.stops[chosen], dict(enumerate(texts)))
        return joined(cuts, more)


@dataclass(frozen=True, eq=False)
class Regions:
    """The lengths and checksums of one file: arrays of shape (R,), the innermost regions first."""

    fields: Fields
    firsts: Offsets
    lasts: Offsets
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
        return cls(Fields(starts, stops, codes), firsts, lasts, adds, checksums, begun - ended)

    def __len__(self) -> int:
        return self.firsts.size

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Regions]:
        """Return cuts that make all numbers right, and the regions after them.

        A number that is cut, even in part, follows from nothing any more. Linear in the bytes if
        there are checksums, and else in the regions, for each depth of them.
        """
        if not len(self):
            return cuts, self
        whole = self.fields.whole(cuts)
        lengths = whole & (self.checksums == _LENGTH)
        for depth in np.unique(self.depths[lengths])[::-1]:
            at = np.flatnonzero(lengths & (self.depths == depth))
            moved = Moved(cuts)
            sizes = moved.stops(self.lasts[at]) - moved.starts(self.firsts[at])
            changed = sizes != self.lasts[at] - self.firsts[at]
            values = (self.adds[at] + sizes)[changed]
            cuts = self.fields.at(at[changed]).written(data, cuts, values)
        sums = np.flatnonzero(whole & (self.checksums != _LENGTH))
        if sums.size:
            cuts = self._checked(data, cuts, sums)
        moved = Moved(cuts)
        return cuts, Regions(
            self.fields.at(whole).moved(moved),
            moved.starts(self.firsts[whole]),
            moved.stops(self.lasts[whole]),
            self.adds[whole],
            self.checksums[whole],
            self.depths[whole],
        )

    def _checked(self, data: bytes, cuts: Cuts, sums: Offsets) -> Cuts:
        """Return cuts that make checksums right too."""
        moved = Moved(cuts)
        new = bytearray(spliced(data, cuts))
        fields = self.fields.at(sums)
        now = fields.moved(moved)
        firsts, lasts = moved.starts(self.firsts[sums]), moved.stops(self.lasts[sums])
        columns = (*now, firsts, lasts, self.checksums[sums])
        values = []
        for start, stop, code, first, last, kind in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            value = CHECKSUMS[kind](bytes(new[first:last])) % 256 ** (stop - start)
            new[start:stop] = Code(code).write(value, b"") or b""
            values.append(value)
        return fields.written(data, cuts, np.array(values, dtype=np.int64))
