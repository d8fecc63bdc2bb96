"""Items of one length, or of one shape after their count, up to the end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import NARROW, WIDE, Code
from nubbin.documents.consistency.in_bytes.rows import (
    MAX_HEAD_BYTES,
    ORDERS,
    HeadNumber,
    head_numbers,
    likeliest,
    repeated,
)
from nubbin.documents.consistency.items import Hypothesis, Items, Number, Region
from nubbin.documents.splice import Offsets

# -- items of one length -----------------------------------------------------------------------

_MIN_ITEMS = 4
_MAX_ITEMS = 1 << 16
_MAX_ITEM_BYTES = 1 << 12
#: The bytes between a count and the first item, if no number says where this is.
_GAPS, _GAP_BITS = (0, 1, 2, 4, 6, 8, 12, 16), 3
#: The most bytes of a cell, which a second number counts in each item.
_MAX_CELL_BYTES = 8
#: Rows of pixels are mostly padded to a multiple of this many bytes.
_PADDED_TO = 4
#: The bytes that are read to tell if items are alike, and the most evidence for it, in bits.
_SAMPLE_BYTES, _MAX_ALIKE_BITS = 1 << 14, 16
#: Less evidence is chance; almost as much as the most is as likely.
_MIN_EVIDENCE_BITS, _MARGIN_BITS = 10, 2


class _Grid(NamedTuple):
    """Items from `begin` on, of `size` bytes each; what counts them, and perhaps their cells."""

    begin: int
    size: int
    number: HeadNumber
    cells: HeadNumber | None
    head: Sequence[HeadNumber]

    def hypothesis(self, last: int) -> Hypothesis:
        """Return that the counts follow from the items, and the lengths in the head, too."""
        rows = range(self.begin, last, self.size)
        items = Items([[(at, at + self.size)] for at in rows])
        numbers, within = [self.number.counts(items)], list[Items]()
        if self.cells:
            width = self.size // self.cells.value
            wide = width if self.size % _PADDED_TO else math.lcm(width, _PADDED_TO)
            columns = range(0, self.cells.value * width - wide + 1, wide)
            within = [Items([[(row + at, row + at + wide) for row in rows] for at in columns])]
            numbers.append(self.cells.counts(within[0], wide // width))
        regions = [region for each in self.head for region in each.measures(self.begin, last)]
        return Hypothesis(numbers, items, regions, of_bytes=True, within=within)


def grids_in(data: bytes) -> list[Hypothesis]:
    """Return the likeliest grids that fill a file after its head; [] if none is likely.

    There are several if their evidence is about the same. A second number may count the cells of
    each item, as the width of a picture does. Linear.
    """
    found = [each for order in ORDERS for each in _grids(data, order)]
    least = max((bits for bits, _ in found), default=0.0) - _MARGIN_BITS
    return [grid.hypothesis(len(data)) for bits, grid in found if bits >= least]


def _grids(data: bytes, order: Sequence[Code]) -> Iterator[tuple[float, _Grid]]:
    """Yield the grids that end where they must, with the evidence for each, in bits."""
    read = head_numbers(data, min(MAX_HEAD_BYTES, len(data)), order)
    numbers = [each for each in read if each.code is Code.DECIMAL or not each.start % 2]
    places: dict[tuple[int, int, int], HeadNumber] = {}
    for number in (each for each in numbers if _MIN_ITEMS <= each.value <= _MAX_ITEMS):
        begins = (each.value for each in numbers if number.stop <= each.value <= MAX_HEAD_BYTES)
        for begin in (*begins, *(number.stop + gap for gap in _GAPS)):
            places.setdefault((begin, number.start, number.value), number)
    for (begin, *_), number in places.items():
        size, rest = divmod(len(data) - begin, number.value)
        if not rest and 1 < size <= _MAX_ITEM_BYTES:
            bits, grid = _grid(data, begin, size, number, numbers)
            if bits >= _MIN_EVIDENCE_BITS:
                yield bits, grid


def _grid(
    data: bytes, begin: int, size: int, number: HeadNumber, numbers: Sequence[HeadNumber]
) -> tuple[float, _Grid]:
    """Return a grid, with the evidence: by chance, one of N numbers divides the bytes so."""
    head = [each for each in numbers if each.stop <= begin]
    others = {
        each.value: each
        for each in reversed(head)
        if each.start != number.start and each.stop != number.stop
    }
    padding = 1 if size % _PADDED_TO else _PADDED_TO
    sizes = (size // n for n in range(1, _MAX_CELL_BYTES + 1) if size % n < padding)
    cells = next((others[n] for n in sizes if n > 1 and n in others), None)
    # By chance, one of all numbers in the head has this value.
    values = [number.value, *(each.value for each in (cells,) if each)]
    values += [len(data)] * (len(data) - begin in others) + [MAX_HEAD_BYTES] * (begin in others)
    bits = sum(math.log2(each) - math.log2(len(others) + 1) for each in values)
    bits += min(_alike(data[begin : begin + _SAMPLE_BYTES], size), _MAX_ALIKE_BITS)
    return bits - _GAP_BITS * (begin not in others), _Grid(begin, size, number, cells, head)


def _alike(data: bytes, size: int) -> float:
    """Return how many bits fewer bytes need in items of a size than in items of others."""
    others = {1, size - 1, size + 1, *(size // n for n in range(2, 9) if not size % n)}
    return max(min(_bits(data, each) for each in others) - _bits(data, size), 0.0)


def _bits(data: bytes, size: int) -> float:
    """Return the bits of bytes if each place of an item has a code of its own."""
    places = np.arange(len(data)) % size
    often = np.bincount(np.frombuffer(data, np.uint8) + 256 * places)
    totals = np.bincount(places)
    often = often[often > 0]
    bits = (totals * np.log2(totals)).sum() - (often * np.log2(often)).sum()
    return float(bits) + 8 * often.size


# -- items of one shape ------------------------------------------------------------------------

_MIN_COUNT = 3
_MAX_COUNT = 5_000
#: Where a count may be, in bytes from the beginning, by its code.
_PLACES = dict.fromkeys(WIDE, (0, 1, 2, 4, 8)) | dict.fromkeys(NARROW[::-1], (0,))
#: The parts of an item: a byte, a number, or bytes after their number.
_BYTE, _NUMBER, _BYTES = range(3)
_MAX_PARTS = 4
_MAX_BYTES_OF_ALIKE = 64  # if all items have the same length
#: Longer parts of a file are not searched.
_MAX_BYTES = 1 << 16
#: Less evidence is chance, because some thousand settings are tried.
_MIN_EVIDENCE_OF_VECTOR = 12
#: The most evidence of the bytes of a count; a wide one is mostly zeros.
_MAX_COUNT_BITS = 16

#: The code of a count, where it is, where the items begin and the last ends, and of each part that
#: has a length, where the length is, where the bytes begin, and where they end.
_Vector = tuple[Code, int, Sequence[int], list[tuple[int, int, int]]]


def vector_in(
    data: bytes, first: int = 0, last: int | None = None, others: int = 1
) -> list[Hypothesis]:
    """Return the likeliest count with items that fill a part of a file; [] if none is likely.

    If there are many `others` of such parts, chance is likelier, so it needs more evidence.
    """
    body = data[first:last]
    least = _MIN_EVIDENCE_OF_VECTOR + math.log2(others)
    best = likeliest(_vectors(body, least), least) if len(body) <= _MAX_BYTES else None
    if best is None:
        return []
    code, place, starts, sized = best
    items = Items([[(first + at, first + end)] for at, end in pairwise(starts)])
    lengths = [
        Region(first + at, first + stop, code, first + stop, first + end) for at, stop, end in sized
    ]
    number = Number(first + place, first + starts[0], items, code=code)
    return [Hypothesis([number], items, lengths, of_bytes=True)]


def _vectors(body: bytes, least: float) -> Iterator[tuple[float, _Vector]]:
    """Yield the counts with items that fill bytes, with the evidence for each, in bits.

    Items that begin with a number have no evidence but their size, which must be enough.
    """
    for code, places in _PLACES.items():
        numbers = code.everywhere(body)
        smallest = 1 if code in NARROW else 2  # a wide count of bytes is a length
        for place in places:
            count, begin = code.read(body, place) or (0, 0)
            if _MIN_COUNT <= count <= min(_MAX_COUNT, (len(body) - begin) // smallest):
                counted = min(8 * (begin - place), _MAX_COUNT_BITS) - place
                for bits, starts, sized in _filled(body, begin, count, numbers, least - counted):
                    yield bits + counted, (code, place, starts, sized)


def _filled(
    body: bytes, begin: int, count: int, numbers: tuple[Offsets, Offsets], least: float
) -> Iterator[tuple[float, Sequence[int], list[tuple[int, int, int]]]]:
    """Yield the ways to read `count` items up to the end, with the evidence for each, in bits."""
    size, rest = divmod(len(body) - begin, count)
    values, stops = (each.data for each in numbers)
    if not rest and size <= _MAX_BYTES_OF_ALIKE:
        bits = math.log2(size + 1) + max(repeated(body[begin::size]), 0.0)
        yield bits, range(begin, len(body) + 1, size), []
    for parts in range(1, min(_MAX_PARTS, size) + 1):
        bits = math.log2(size + 1) + 3 - 2 * parts
        for shape in product((_BYTE, _NUMBER, _BYTES), repeat=parts):
            has_tag = shape[0] == _BYTE
            if set(shape) == {_BYTE} or not (has_tag or bits >= least):
                continue
            if ends := _ends(values, stops, begin, shape * count):
                starts = ends[::parts]
                tags = bytes(body[at] for at in starts[:-1]) if has_tag else b""
                spans = zip(shape * count, pairwise(ends), strict=True)
                sized = [(at, stops[at], end) for part, (at, end) in spans if part == _BYTES]
                yield bits + max(repeated(tags), 0.0), starts, sized


def _ends(
    values: Sequence[int], stops: Sequence[int], begin: int, parts: Sequence[int]
) -> list[int]:
    """Return where each part begins, and the last ends; [] if that is not where the bytes end."""
    at, ends = begin, [begin]
    for part in parts:
        if part == _BYTE:
            at += 1
        elif at < len(stops) and (stop := stops[at]):
            at = stop + values[at] if part == _BYTES else stop
        else:
            return []
        ends.append(at)
    return ends if at == len(stops) else []
