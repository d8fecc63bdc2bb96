"""Numbers in bytes: how they are written, and lengths and checksums of regions.

And tables of spans, which move with an edit.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal, NamedTuple, Self

import numpy as np

from nubbin.documents.splice import Cuts, Mask, Offsets, joined, spliced


class Code(IntEnum):
    """A way to write a number that is not negative."""

    DECIMAL = 0
    LEB128 = 1  # seven bits a byte, the lowest first: in WebAssembly, DWARF and protobuf
    U8 = 2
    U16_BIG = 3
    U16_LITTLE = 4
    U32_BIG = 5
    U32_LITTLE = 6
    HEX = 7
    ASN1 = 8  # one byte if under 128; otherwise 128 plus the number of bytes, and these bytes
    PADDED = 9  # digits after spaces, in a fixed width

    def read(self, data: bytes, at: int) -> tuple[int, int] | None:
        """Return the number at an offset, and where it ends; None if there is none."""
        if self is Code.LEB128:
            return _leb128(data, at)
        if self in _DIGITS:
            base, digits = _DIGITS[self]
            found = digits.match(data, at)
            return (int(found[0], base), found.end()) if found else None
        if self is Code.ASN1:
            return _asn1(data, at)
        width, order = _FIXED[self]
        stop = at + width
        return (int.from_bytes(data[at:stop], order), stop) if stop <= len(data) else None

    def everywhere(self, data: bytes) -> tuple[Offsets, Offsets]:
        """Return the number at each offset, and where it ends; the end is 0 where there is none.

        Not for numbers in digits. Linear, without a loop over the bytes.
        """
        size = len(data)
        padded, at = data + bytes(_MAX_BYTES), np.arange(size)
        if self in _FIXED:
            width, order = _FIXED[self]
            values = _at_all(padded, f"{'<' if order == 'little' else '>'}u{width}", size)
            return values, np.where(at + width <= size, at + width, 0)
        byte = _at_all(padded, "u1", size + _MAX_BYTES)
        stops = np.where(byte[:size] < 0x80, at + 1, 0)
        long = np.flatnonzero(stops == 0)
        if self is Code.LEB128:
            values = byte[:size] & 0x7F
            for n in range(1, _MAX_BYTES):
                more = byte[long + n]
                values[long] += (more & 0x7F) << 7 * n
                ended = long[(more < 0x80) & (long + n < size)]
                stops[ended], long = ended + n + 1, long[more >= 0x80]
            return values, stops
        values, after = byte[:size].copy(), _at_all(padded, ">u4", size + 1)
        for n in range(1, _MAX_ASN1_BYTES + 1):
            sized = long[(byte[long] == 0x80 | n) & (long + n < size)]
            values[sized], stops[sized] = after[sized + 1] >> 32 - 8 * n, sized + n + 1
        return values, stops

    def number(self, written: bytes) -> int:
        """Return the number that these bytes write; raises ValueError if they write none."""
        if (found := self.read(written, 0)) is None:
            raise ValueError(f"not a number: {written!r}")
        return found[0]

    def write(self, value: int, before: bytes) -> bytes | None:
        """Return a number as bytes, padded like `before`; None if it does not fit."""
        if value < 0:
            return None
        if self is Code.PADDED:
            return b"%*d" % (len(before), value)
        if self in _DIGITS:
            width = len(before) if before[:1] == b"0" else 1
            return (b"%0*x" if self is Code.HEX else b"%0*d") % (width, value)
        if self is Code.LEB128:
            is_padded = len(before) > 1 and not before[-1]
            groups = max(-(-value.bit_length() // 7), 1, len(before) if is_padded else 1)
            low = (value >> 7 * group & 0x7F | 0x80 for group in range(groups - 1))
            return bytes((*low, value >> 7 * (groups - 1)))
        if self is Code.ASN1:
            return _as_asn1(value)
        width, order = _FIXED[self]
        return value.to_bytes(width, order) if value < 256**width else None


#: The codes of numbers in bytes: of a fixed width, and of as few bytes as there can be.
WIDE = (Code.U32_LITTLE, Code.U32_BIG, Code.U16_LITTLE, Code.U16_BIG)
NARROW = (Code.LEB128, Code.U8)

_DIGITS = {
    Code.DECIMAL: (10, re.compile(rb"[0-9]+")),
    Code.PADDED: (10, re.compile(rb" *[0-9]+")),
    Code.HEX: (16, re.compile(rb"[0-9A-Fa-f]+")),
}

_MAX_BYTES, _MAX_ASN1_BYTES = 5, 4  # of LEB128, and of ASN.1 after the first


_FIXED: dict[Code, tuple[int, Literal["big", "little"]]] = {
    Code.U8: (1, "big"),
    Code.U16_BIG: (2, "big"),
    Code.U16_LITTLE: (2, "little"),
    Code.U32_BIG: (4, "big"),
    Code.U32_LITTLE: (4, "little"),
}
#: The bytes of a number of a fixed width.
WIDTHS = {code: width for code, (width, _) in _FIXED.items()}


def _at_all(data: bytes, form: str, size: int) -> Offsets:
    return np.ndarray(size, form, data, strides=1).astype(np.int64)


def _leb128(data: bytes, at: int) -> tuple[int, int] | None:
    value = 0
    for group, byte in enumerate(data[at : at + _MAX_BYTES]):
        value |= (byte & 0x7F) << 7 * group
        if byte < 0x80:
            return value, at + group + 1
    return None


def _asn1(data: bytes, at: int) -> tuple[int, int] | None:
    if at >= len(data) or data[at] < 0x80:
        return (data[at], at + 1) if at < len(data) else None
    stop = at + 1 + (data[at] & 0x7F)
    is_read = at + 1 < stop <= min(at + 1 + _MAX_ASN1_BYTES, len(data))
    return (int.from_bytes(data[at + 1 : stop], "big"), stop) if is_read else None


def _as_asn1(value: int) -> bytes | None:
    if value < 0x80:
        return bytes([value])
    more = value.to_bytes(-(-value.bit_length() // 8), "big")
    return bytes([0x80 | len(more)]) + more if len(more) <= _MAX_ASN1_BYTES else None


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
    """A number that is `add` plus the number of bytes from `begin` up to `end`.

    Or one of `CHECKSUMS` of these bytes.
    """

    start: int
    stop: int
    code: Code
    begin: int
    end: int
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
        inside = sorted(regions, key=lambda region: (region.end - region.begin, region.start))
        columns = np.array(inside, dtype=np.int64).reshape(-1, len(Region._fields)).T
        starts, stops, codes, begins, ends, adds, checksums = columns
        begun = np.searchsorted(np.sort(begins), starts, side="right")
        ended = np.searchsorted(np.sort(ends), starts, side="right")
        return cls(starts, stops, codes, SpanTable(begins, ends), adds, checksums, begun - ended)

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
