"""Nested blocks in bytes: ASN.1, RIFF, boxes, and messages of Protocol Buffers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_bytes.rows import (
    MAX_BLOCKS,
    ByteBlock,
    Read,
    evidence,
    promising,
    row,
    surprises_of,
)
from nubbin.documents.consistency.items import Hypothesis, Items
from nubbin.documents.consistency.regions import Region
from nubbin.pattern import pattern

_CODES = (Code.ASN1, Code.U32_BIG, Code.U32_LITTLE, Code.U16_BIG, Code.U16_LITTLE)
#: The number of bytes before the length in a block.
_BEFORE = (1, 2, 4, 0)
#: Blocks begin at multiples of these.
_ALIGNED = (1, 2, 4)
#: Where the first block of a file may begin, and the first block inside another, in bytes.
_HEADS, _HEADS_INSIDE = (0, 4, 8, 12, 16), (0, 4)
_MAX_FIELDS = 50_000
#: Readers of Protocol Buffers reject deeper messages.
_MAX_DEPTH = 100
#: Less evidence, in bits, is chance: a thousand settings are tried, and any bytes may be fields.
_MIN_EVIDENCE, _MIN_EVIDENCE_OF_FIELDS = 32, 48
#: Subtracted for each row, because it may begin in several places, and hold any blocks.
_ROW_BITS = 3
#: The evidence of a valid key, and of a length that fits, in bits.
_FIELD_BITS, _LENGTH_BITS = 1, 4
#: The meaning of a key's last three bits: the number of bytes that follow; or a number in LEB128
#: follows; or bytes follow with their length before them.
_NUMBER, _SIZED = 0, 2
_BYTES_AFTER = {_NUMBER: 0, 1: 8, _SIZED: 0, 5: 4}
_LEB128 = pattern(rb"[\x80-\xff]{0,9}[\0-\x7f]")

#: The rows of a file, the outermost first.
_Rows = list[list[ByteBlock]]
#: The kinds of the blocks around a block, and its own, the outermost first.
_Path = tuple[bytes, ...]


class _Sized(NamedTuple):
    """A format of blocks: the bytes before a length, and whether it counts these and itself."""

    code: Code
    before: int
    of_all: bool
    aligned: int

    def read(self, data: bytes, at: int, begin: int, end: int) -> ByteBlock | None:
        """Return a block; its kind is the bytes before its length, or the four bytes after it."""
        number = self.code.read(data, at + self.before)
        if number is None:
            return None
        size, first = number
        last = at + size if self.of_all else first + size
        if not first <= last <= end:
            return None
        length = Region(at + self.before, first, self.code, first, last, size - (last - first))
        stop = min(last + -(last - begin) % self.aligned, end)
        return ByteBlock(at, stop, (length,), data[at : length.start] or data[first : first + 4])


def nest_in(data: bytes) -> Hypothesis | None:
    """Return the likeliest reading of a file as nested blocks; None if none is likely.

    Linear, for each of some hundred settings; most fail at once.
    """
    best, found = 0.0, _Rows()
    surprises = surprises_of(data)
    formats = product(_BEFORE, (False, True), (0,), _ALIGNED, _HEADS)
    settings = np.array([(head, *each) for *each, head in formats])
    for code in _CODES:
        for head, before, of_all, _, aligned in promising(code.everywhere(data), settings):
            reader = _Sized(code, before, bool(of_all), aligned)
            rows = _rows(data, head, reader.read, _HEADS_INSIDE)
            if len(rows) > 1 and (bits := evidence(rows, surprises) - _ROW_BITS * len(rows)) > best:
                best, found = bits, rows
    return _hypothesis(found) if best >= _MIN_EVIDENCE else None


def fields_in(data: bytes) -> Hypothesis | None:
    """Return the fields that fill a file, and the fields in them; None if it is not a message.

    Linear in the bytes, times the depth of messages; most files fail after a few bytes.
    """
    rows = _rows(data, 0, _field, (0,), _MAX_FIELDS)
    fields = [*chain.from_iterable(rows)]
    bits = _FIELD_BITS * len(fields) + _LENGTH_BITS * sum(len(each.lengths) for each in fields)
    return _hypothesis(rows) if len(rows) > 1 and bits >= _MIN_EVIDENCE_OF_FIELDS else None


def _field(data: bytes, at: int, begin: int, end: int) -> ByteBlock | None:
    read = Code.LEB128.read(data, at)
    if read is None or read[0] < 8 or read[0] & 7 not in _BYTES_AFTER:
        return None
    key, first = read
    kind = data[at:first]
    if key & 7 == _SIZED:
        if (size := Code.LEB128.read(data, first)) is None:
            return None
        stop = size[1] + size[0]
        return ByteBlock(at, stop, (Region(first, size[1], Code.LEB128, size[1], stop),), kind)
    if key & 7 == _NUMBER:
        number = _LEB128.match(data, first)
        return ByteBlock(at, number.end(), (), kind) if number else None
    return ByteBlock(at, first + _BYTES_AFTER[key & 7], (), kind)


def _rows(
    data: bytes, head: int, read: Read, heads: Sequence[int], most: int = MAX_BLOCKS
) -> _Rows:
    """Return the rows of blocks of a file; [] if blocks do not fill it from its head on.

    Any bytes may look like blocks, but seldom the bytes of all blocks with one path. So blocks with
    one path hold blocks only if each of them that is not empty does.
    """
    outermost = row(data, head, len(data), read, most)
    rows, level = [outermost], _by_path((), [outermost])
    for _ in range(_MAX_DEPTH):
        if not level or sum(map(len, rows)) > most:
            break
        below: dict[_Path, list[Region]] = {}
        for path, lengths in level.items():
            full = [each for each in lengths if each.first < each.last]
            inside = [_inside(data, each, read, heads) for each in full]
            if all(inside):
                rows += inside
                below |= _by_path(path, inside)
        level = below
    return rows if outermost else []


def _by_path(path: _Path, rows: _Rows) -> dict[_Path, list[Region]]:
    """Return the lengths of blocks by the paths of these; `path` is the path around them."""
    found: defaultdict[_Path, list[Region]] = defaultdict(list)
    for block in chain.from_iterable(rows):
        for length in block.lengths:
            found[*path, block.kind].append(length)
    return dict(found)


def _inside(data: bytes, length: Region, read: Read, heads: Sequence[int]) -> list[ByteBlock]:
    """Return the row of blocks inside a block, perhaps after a few bytes; [] if there is none."""
    firsts = (length.first + head for head in heads)
    rows = (row(data, first, length.last, read) for first in firsts if first < length.last)
    return next(filter(None, rows), [])


def _hypothesis(rows: _Rows) -> Hypothesis | None:
    """Return the hypothesis that the lengths in rows must be right; None if no row has two."""
    lists = [Items([[(b.start, b.stop)] for b in blocks]) for blocks in rows if len(blocks) > 1]
    if not lists:
        return None
    longest = max(lists, key=lambda items: len(items.places))
    lengths = [length for block in chain.from_iterable(rows) for length in block.lengths]
    return Hypothesis([], longest, lengths, of_bytes=True, within=lists)
