"""The numbers of a file that follow from the rest of it, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import CHECKSUMS, LENGTH, Items, Number, Region
from nubbin.documents.consistency.places import Moved, SpanTable
from nubbin.documents.splice import Cuts, Mask, Offsets, joined, spliced


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
class Numbers(Fields):
    """Numbers that follow from items: arrays of shape (N,).

    Each is `adds` plus `times` the number of items in firsts..counted-1.
    """

    values: Offsets
    adds: Offsets
    times: Offsets
    firsts: Offsets
    counted: Offsets
    # Whether the number refers to the item `counted`, and whether it is a name.
    refers: Mask
    names: Mask

    @classmethod
    def of(cls, data: bytes, numbers: Iterable[Number], firsts: Mapping[Items, int]) -> Numbers:
        """Return the numbers of a file; `firsts` has the index of each list's first item."""
        rows = [
            (
                each.start,
                each.stop,
                each.code,
                0 if each.is_name else each.code.number(data[each.start : each.stop]),
                each.add,
                each.times,
                firsts[each.items],
                firsts[each.items] + (len(each.items.places) if each.item is None else each.item),
                each.item is not None,
                each.is_name,
            )
            for each in numbers
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, len(fields(cls))).T
        return cls(*table[:-2], *table[-2:] > 0)


@dataclass(frozen=True, eq=False)
class Regions(Fields):
    """The lengths and checksums of one file: arrays of shape (R,), the innermost regions first."""

    begins: Offsets
    ends: Offsets
    adds: Offsets
    checksums: Offsets
    depths: Offsets  # of lengths: how many other regions contain the number

    @classmethod
    def of(cls, regions: Iterable[Region]) -> Regions:
        """Return the fields of regions, none of which overlaps another in part."""
        inside = sorted(regions, key=lambda region: (region.end - region.begin, region.start))
        columns = np.array(inside, dtype=np.int64).reshape(-1, len(Region._fields)).T
        starts, _, _, begins, ends, *_ = columns
        begun = np.searchsorted(np.sort(begins), starts, side="right")
        ended = np.searchsorted(np.sort(ends), starts, side="right")
        return cls(*np.vstack((columns, begun - ended)))

    def moved(self, moved: Moved) -> Regions:
        """Return the numbers and their regions at the offsets after cuts."""
        begins, ends = moved.starts(self.begins), moved.stops(self.ends)
        return replace(super().moved(moved), begins=begins, ends=ends)

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Regions]:
        """Return cuts that also correct all numbers, and the regions after them.

        A number that is cut, even in part, follows from nothing afterwards. Linear in the bytes if
        there are checksums, otherwise in the regions, for each depth of them.
        """
        if not self.starts.size:
            return cuts, self
        left = self.at(self.whole(cuts))
        is_length = left.checksums == LENGTH
        for depth in np.unique(left.depths[is_length])[::-1]:
            at = left.at(is_length & (left.depths == depth))
            now = at.moved(Moved(cuts))
            sizes = now.ends - now.begins
            changed = sizes != at.ends - at.begins
            cuts = at.at(changed).written(data, cuts, (at.adds + sizes)[changed])
        if not is_length.all():
            cuts = left.at(~is_length)._checked(data, cuts)
        return cuts, left.moved(Moved(cuts))

    def _checked(self, data: bytes, cuts: Cuts) -> Cuts:
        """Return cuts that also correct these numbers, all of which are checksums."""
        new = bytearray(spliced(data, cuts))
        now = self.moved(Moved(cuts))
        spans = (now.starts, now.stops, now.begins, now.ends)
        values = []
        for start, stop, begin, end, code, kind in zip(
            *(column.tolist() for column in (*spans, self.codes, self.checksums)), strict=True
        ):
            value = CHECKSUMS[kind](bytes(new[begin:end])) % 256 ** (stop - start)
            new[start:stop] = Code(code).write(value, b"") or b""
            values.append(value)
        return self.written(data, cuts, np.array(values, dtype=np.int64))
