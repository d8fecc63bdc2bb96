"""Blocks in bytes, each of them with its length, and blocks in blocks.

Chains are chunks, packets and records. ASN.1, RIFF, boxes, and messages of Protocol Buffers nest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise, product, takewhile
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import NARROW, WIDE, WIDTHS, Code
from nubbin.documents.consistency.in_bytes.grids import vector_in
from nubbin.documents.consistency.in_bytes.rows import (
    MAX_BLOCKS,
    ByteBlock,
    Read,
    evidence,
    head_numbers,
    likeliest,
    promising,
    row,
    surprises_of,
)
from nubbin.documents.consistency.items import CHECKSUMS, Hypothesis, Items, Region
from nubbin.pattern import pattern

_MIN_BLOCKS = 3
#: The longest header of a file or a block.
_MAX_HEAD_BYTES = 64
#: By the code of the lengths: how far from the beginning the first may be, and how many bytes of a
#: block they may leave out. With lengths of one byte, any bytes are a chain if enough is tried.
_SETTINGS = dict.fromkeys(WIDE, (48, range(-8, 25))) | dict.fromkeys(NARROW, (16, range(4)))
#: In chains with more blocks, the blocks themselves are not searched.
_MAX_BLOCKS_LOOKED_INTO = 64
#: Less evidence, in bits, is chance: ten thousand settings are tried for a chain, a thousand for a
#: nest, and any bytes may be fields.
_MIN_EVIDENCE_OF_CHAIN, _MIN_EVIDENCE_OF_NEST, _MIN_EVIDENCE_OF_FIELDS = 24, 32, 48


def chain_in(data: bytes) -> list[Hypothesis]:
    """Return the likeliest chain that ends at the end of a file; [] if none is likely.

    It includes the lengths and the count in the header before it, and the checksums of blocks.
    Vectors in the blocks follow.
    """
    found = likeliest(_chains(data), _MIN_EVIDENCE_OF_CHAIN)
    if found is None:
        return []
    bodies = [(each.begin, each.end) for block in found for each in block.lengths]
    bodies = bodies if len(found) <= _MAX_BLOCKS_LOOKED_INTO else []
    vectors = (vector for body in bodies for vector in vector_in(data, *body, len(bodies)))
    return [_described(data, found), *vectors]


def _chains(data: bytes) -> Iterator[tuple[float, list[ByteBlock]]]:
    """Yield the chains that end at the end of a file, with the evidence for each, in bits."""
    surprises = surprises_of(data)
    for code, (starts, overheads) in _SETTINGS.items():
        numbers = code.everywhere(data)
        places = product(range(min(starts, len(data))), (0,), (0,), overheads, (1,))
        settings = np.array([*places], dtype=np.int64).reshape(-1, 5)
        walk = _Walk(*(each.data for each in numbers))
        for at, _, _, overhead, _ in promising(numbers, settings, _MAX_HEAD_BYTES):
            lengths = walk.lengths(code, at, overhead)
            before = lengths[-1].end - len(data) if lengths else at + 1
            if before <= at and len({each.end - each.begin for each in lengths}) > 1:
                blocks = _blocks(data, lengths, before)
                yield evidence([blocks], surprises) - before - abs(overhead), blocks


class _Walk:
    """Walks from length to length through a file, whose numbers in one code are known everywhere.

    Most walks fail, and many of them meet: where a walk has failed, a later one is not repeated.
    """

    def __init__(self, values: Sequence[int], stops: Sequence[int]):
        self._values, self._stops = values, stops
        self._failed: defaultdict[int, set[int]] = defaultdict(set)  # offsets, by the overhead

    def lengths(self, code: Code, at: int, overhead: int) -> list[Region]:
        """Return the lengths of a chain from an offset on; [] if they do not fit.

        The last block ends where the data does, or less than a header later.
        """
        values, stops, failed = self._values, self._stops, self._failed[overhead]
        starts, empty = [at], 0
        while at < len(stops):
            stop, value = stops[at], values[at]
            following = stop + value + overhead
            fits = 0 < stop <= following <= len(stops) + _MAX_HEAD_BYTES and at not in failed
            if not fits or len(starts) > MAX_BLOCKS:
                failed.update(() if fits else starts)
                return []
            empty += not value
            starts.append(at := following)
        if len(starts) <= _MIN_BLOCKS or 2 * empty >= len(starts):
            return []
        spans = ((at, stops[at], last) for at, last in pairwise(starts))
        return [Region(at, stop, code, stop, last, -overhead) for at, stop, last in spans]


def _blocks(data: bytes, lengths: Sequence[Region], before: int) -> list[ByteBlock]:
    """Return the blocks of a chain, which begin `before` bytes before their lengths."""
    moved = (each._replace(end=each.end - before, add=each.add + before) for each in lengths)
    spans = ((each.start - before, each) for each in moved)
    return [ByteBlock(at, each.end, (each,), data[at : each.start]) for at, each in spans]


def _described(data: bytes, blocks: Sequence[ByteBlock]) -> Hypothesis:
    """Return the hypothesis of a chain."""
    items = Items([[(block.start, block.stop)] for block in blocks])
    regions = [length for block in blocks for length in block.lengths]
    regions += [*_echoes(data, blocks), *_checksums(data, blocks)]
    begin, end = blocks[0].start, blocks[-1].stop
    head = head_numbers(data, begin, _SETTINGS)
    numbers = [each.counts(items) for each in head if each.value == len(blocks)]
    wide = [each for each in head if each.code in WIDE]
    regions += [region for each in wide for region in each.measures(begin, end)]
    return Hypothesis(numbers, items, regions, of_bytes=True)


def _echoes(data: bytes, blocks: Sequence[ByteBlock]) -> list[Region]:
    """Return the numbers soon after the length of each block that always repeat it."""
    longest = min(length.end - length.stop for block in blocks for length in block.lengths)
    gaps = range(min(longest, _MAX_HEAD_BYTES + 1))
    return _first_in_all(blocks, (partial(_echo, data, gap) for gap in gaps))


def _echo(data: bytes, gap: int, block: ByteBlock) -> Region | None:
    (length,) = block.lengths
    at, value = length.stop + gap, length.end - length.begin + length.add
    read = length.code.read(data, at)
    if read is None or read[0] != value or read[1] > length.end:
        return None
    return Region(at, read[1], length.code, read[1], length.end, value - length.end + read[1])


def _checksums(data: bytes, blocks: Sequence[ByteBlock]) -> list[Region]:
    """Return the checksums at the ends of blocks, or after their lengths, if all are right."""
    settings = product(range(len(CHECKSUMS)), (*WIDE, Code.U8), range(4))
    return _first_in_all(blocks, (partial(_checksum, data, *each) for each in settings))


def _checksum(data: bytes, kind: int, code: Code, place: int, block: ByteBlock) -> Region | None:
    """Return the checksum of a block; the last `place` is after its length, others at its end."""
    width = WIDTHS[code]
    (length,) = block.lengths
    begin = (block.start, length.start, length.stop, length.stop + width)[place]
    at = length.stop if place == 3 else block.stop - width
    end = block.stop if place == 3 else at
    if not (begin <= end and at + width <= block.stop):
        return None
    value = CHECKSUMS[kind](data[begin:end]) % 256**width
    is_right = code.read(data, at) == (value, at + width)
    return Region(at, at + width, code, begin, end, 0, kind) if is_right else None


def _first_in_all(
    blocks: Sequence[ByteBlock], fields: Iterable[Callable[[ByteBlock], Region | None]]
) -> list[Region]:
    """Return the first of these fields that all blocks have, in each of them; [] if none."""
    for field in fields:
        found = [*takewhile(bool, map(field, blocks))]
        if len(found) == len(blocks):
            return [region for region in found if region]
    return []


# -- blocks in blocks --------------------------------------------------------------------------

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


def nest_in(data: bytes) -> list[Hypothesis]:
    """Return the likeliest reading of a file as nested blocks; [] if none is likely.

    Linear, for each of some hundred settings; most fail at once.
    """
    rows = likeliest(_nests(data), _MIN_EVIDENCE_OF_NEST)
    return _hypotheses(rows) if rows else []


def _nests(data: bytes) -> Iterator[tuple[float, _Rows]]:
    surprises = surprises_of(data)
    formats = product(_BEFORE, (False, True), (0,), _ALIGNED, _HEADS)
    settings = np.array([(head, *each) for *each, head in formats])
    for code in _CODES:
        for head, before, of_all, _, aligned in promising(code.everywhere(data), settings):
            reader = _Sized(code, before, bool(of_all), aligned)
            rows = _rows(data, head, reader.read, _HEADS_INSIDE)
            if len(rows) > 1:
                yield evidence(rows, surprises) - _ROW_BITS * len(rows), rows


def fields_in(data: bytes) -> list[Hypothesis]:
    """Return the fields that fill a file, and the fields in them; [] if it is not a message.

    Linear in the bytes, times the depth of messages; most files fail after a few bytes.
    """
    rows = _rows(data, 0, _field, (0,), _MAX_FIELDS)
    fields = [*chain.from_iterable(rows)]
    bits = _FIELD_BITS * len(fields) + _LENGTH_BITS * sum(len(each.lengths) for each in fields)
    return _hypotheses(rows) if len(rows) > 1 and bits >= _MIN_EVIDENCE_OF_FIELDS else []


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
            full = [each for each in lengths if each.begin < each.end]
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
    firsts = (length.begin + head for head in heads)
    rows = (row(data, first, length.end, read) for first in firsts if first < length.end)
    return next(filter(None, rows), [])


def _hypotheses(rows: _Rows) -> list[Hypothesis]:
    """Return the hypothesis that the lengths in rows must be right; [] if no row has two."""
    lists = [Items([[(b.start, b.stop)] for b in blocks]) for blocks in rows if len(blocks) > 1]
    longest = max(lists, key=lambda items: len(items.places), default=None)
    lengths = [length for block in chain.from_iterable(rows) for length in block.lengths]
    return [Hypothesis([], longest, lengths, of_bytes=True, within=lists)] if longest else []
