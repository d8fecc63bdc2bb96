"""Arrays in bytes: items of one length up to the end, which a number of the head counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_bytes.rows import MAX_HEAD_BYTES, ORDERS, Said, said
from nubbin.documents.consistency.items import Hypothesis, Items

_MIN_ITEMS = 4
_MAX_ITEMS = 1 << 16
_MAX_ITEM_BYTES = 1 << 12
#: The bytes between a count and the first item, if no number says where this is.
_GAPS, _GAP_BITS = (0, 1, 2, 4, 6, 8, 12, 16), 3
#: The cells of an item that a second number counts have at most so many bytes.
_MAX_CELL_BYTES = 8
#: Rows of pixels are mostly padded to so many bytes.
_PADDED_TO = 4
#: So many bytes show whether items are alike, and the most evidence for it.
_SAMPLE_BYTES, _MAX_ALIKE_BITS = 1 << 14, 16
#: Less evidence is chance; almost as much as the most is as likely.
_MIN_EVIDENCE_BITS, _MARGIN_BITS = 10, 2


class _Array(NamedTuple):
    """Items from `begin` on, of `size` bytes each; what counts them, and perhaps their cells."""

    begin: int
    size: int
    number: Said
    cells: Said | None
    head: Sequence[Said]

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
    """Return the likeliest arrays that fill a file after its head; [] if none is likely.

    A second number may count the cells of each item, as the width of a picture does. Linear.
    """
    found = [each for order in ORDERS for each in _arrays(data, order)]
    least = max((bits for _, bits in found), default=0.0) - _MARGIN_BITS
    return [array.hypothesis(len(data)) for array, bits in found if bits >= least]


def _arrays(data: bytes, order: Sequence[Code]) -> Iterator[tuple[_Array, float]]:
    """Yield the arrays that end where they must, with the evidence for each, in bits."""
    read = said(data, min(MAX_HEAD_BYTES, len(data)), order)
    numbers = [each for each in read if each.code is Code.DECIMAL or not each.start % 2]
    places: dict[tuple[int, int, int], Said] = {}
    for number in (each for each in numbers if _MIN_ITEMS <= each.value <= _MAX_ITEMS):
        told = (each.value for each in numbers if number.stop <= each.value <= MAX_HEAD_BYTES)
        for begin in (*told, *(number.stop + gap for gap in _GAPS)):
            places.setdefault((begin, number.start, number.value), number)
    for (begin, *_), number in places.items():
        size, rest = divmod(len(data) - begin, number.value)
        if not rest and 1 < size <= _MAX_ITEM_BYTES:
            array, bits = _array(data, begin, size, number, numbers)
            if bits >= _MIN_EVIDENCE_BITS:
                yield array, bits


def _array(
    data: bytes, begin: int, size: int, number: Said, numbers: Sequence[Said]
) -> tuple[_Array, float]:
    """Return an array, with the evidence: by chance, one of N numbers divides the bytes so."""
    head = [each for each in numbers if each.stop <= begin]
    others = {
        each.value: each
        for each in reversed(head)
        if each.start != number.start and each.stop != number.stop
    }
    padding = 1 if size % _PADDED_TO else _PADDED_TO
    sizes = (size // n for n in range(1, _MAX_CELL_BYTES + 1) if size % n < padding)
    cells = next((others[n] for n in sizes if n > 1 and n in others), None)
    # One of so many values is right: each with its own chance.
    values = [number.value, *(each.value for each in (cells,) if each)]
    values += [len(data)] * (len(data) - begin in others) + [MAX_HEAD_BYTES] * (begin in others)
    bits = sum(math.log2(each) - math.log2(len(others) + 1) for each in values)
    bits += min(_alike(data[begin : begin + _SAMPLE_BYTES], size), _MAX_ALIKE_BITS)
    return _Array(begin, size, number, cells, head), bits - _GAP_BITS * (begin not in others)


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
