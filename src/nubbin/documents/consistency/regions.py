"""Lengths and checksums, which follow from the bytes of a region, and tables of spans that move."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.splice import Cuts, Mask, Offsets, joined, spliced


class Moved:
    """The offsets of a document before and after cuts, whose texts are inserted in their places.

    All methods take and return offsets of one shape, and take time linear in them, times the
    logarithm of the number of cuts.
    """

    def __init__(self, cuts: Cuts):
        self._starts, self._stops = cuts.starts, cuts.stops
        lengths = np.zeros(cuts.starts.size, dtype=np.int64)
        lengths[list(cuts.texts)] = [len(text) for text in cuts.texts.values()]
        self._gone = _running(cuts.stops - cuts.starts)
        self._came = _running(lengths)

    def gone(self, offsets: Offsets) -> Offsets:
        """Return how many bytes are cut before each offset."""
        cut = np.searchsorted(self._starts, offsets, side="right") - 1
        if not self._starts.size:
            return np.zeros_like(offsets)
        inside = np.minimum(offsets, self._stops[cut]) - self._starts[cut]
        gone: Offsets = np.where(cut >= 0, self._gone[cut] + inside, 0)
        return gone

    def starts(self, offsets: Offsets) -> Offsets:
        """Return where text from each offset on begins; inside a cut, where its text begins."""
        cut = np.searchsorted(self._starts, offsets, side="right")
        if not self._starts.size:
            return offsets
        inside = (cut > 0) & (offsets < self._stops[cut - 1])
        moved: Offsets = offsets - self.gone(offsets) + self._came[cut - inside]
        return moved

    def stops(self, offsets: Offsets) -> Offsets:
        """Return where text up to each offset ends; inside a cut, where its text ends."""
        cut = np.searchsorted(self._starts, offsets, side="left")
        moved: Offsets = offsets - self.gone(offsets) + self._came[cut]
        return moved


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as columns: each field is an array with a value for each row, or a table of as many."""

    def at(self, chosen: Offsets | Mask) -> Self:
        """Return some of the rows."""
        columns = vars(self).values()
        return type(self)(
            *(each.at(chosen) if isinstance(each, Table) else each[chosen] for each in columns)
        )

    def joined(self, other: Self) -> Self:
        """Return the rows of both."""
        return type(self)(
            *(
                one.joined(more) if isinstance(one, Table) else np.concatenate((one, more))
                for one, more in zip(vars(self).values(), vars(other).values(), strict=True)
            )
        )

    def moved(self, moved: Moved) -> Self:
        """Return the rows with all their spans at the offsets after cuts."""
        tables = {name: each for name, each in vars(self).items() if isinstance(each, Table)}
        return replace(self, **{name: each.moved(moved) for name, each in tables.items()})


@dataclass(frozen=True, eq=False)
class SpanTable(Table):
    """Spans of a document, and columns that subclasses add: arrays of shape (N,)."""

    starts: Offsets
    stops: Offsets

    def moved(self, moved: Moved) -> Self:
        """Return the rows with all their spans at the offsets after cuts."""
        return replace(
            super().moved(moved), starts=moved.starts(self.starts), stops=moved.stops(self.stops)
        )


def _running(lengths: Offsets) -> Offsets:
    return np.concatenate(([0], np.cumsum(lengths)))


#: Functions of the bytes of a region; a field holds the lowest bytes of the result.
CHECKSUMS: tuple[Callable[[bytes], int], ...] = (zlib.crc32, zlib.adler32, sum)
#: Instead of the index of a checksum: the number is the length of its region.
_LENGTH = -1


class Region(NamedTuple):
    """A number that is `add` plus the number of bytes in `first` to `last` - 1.

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
    """The spans of numbers in a file, and their codes: arrays of shape (N,)."""

    codes: Offsets

    def whole(self, cuts: Cuts) -> Mask:
        """Return which numbers no cut touches."""
        before = np.searchsorted(cuts.stops, self.starts, side="right")
        whole: Mask = before == np.searchsorted(cuts.starts, self.stops, side="left")
        return whole

    def written(self, data: bytes, cuts: Cuts, values: Offsets) -> Cuts:
        """Return cuts that also write `values`; a number that does not fit is not changed."""
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
    depths: Offsets  # of lengths: how many other regions contain the number

    @classmethod
    def of(cls, regions: Iterable[Region]) -> Regions:
        """Return the fields of regions, none of which overlaps another in part."""
        inside = sorted(regions, key=lambda region: (region.last - region.first, region.start))
        columns = np.array(inside, dtype=np.int64).reshape(-1, len(Region._fields)).T
        starts, stops, codes, firsts, lasts, adds, checksums = columns
        begun = np.searchsorted(np.sort(firsts), starts, side="right")
        ended = np.searchsorted(np.sort(lasts), starts, side="right")
        return cls(starts, stops, codes, SpanTable(firsts, lasts), adds, checksums, begun - ended)

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Regions]:
        """Return cuts that also correct all numbers, and the regions after them.

        A number that is cut, even in part, follows from nothing afterwards. Linear in the bytes if
        there are checksums, otherwise in the regions, for each depth of them.
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
        """Return cuts that also correct these numbers, all of which are checksums."""
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
