"""Vectors in bytes: a count, and as many items of one shape, up to the end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import Hypothesis, Items, Number
from nubbin.documents.consistency.regions import Region

_MIN_ITEMS = 3
_MAX_ITEMS = 5_000
#: Where a count may stand, in bytes from the beginning, by its code.
_HEAD = (0, 1, 2, 4, 8)
_PLACES = {
    Code.LEB128: (0,),
    Code.U8: (0,),
    Code.U16_BIG: _HEAD,
    Code.U16_LITTLE: _HEAD,
    Code.U32_BIG: _HEAD,
    Code.U32_LITTLE: _HEAD,
}
#: What an item is made of: a byte, a number, or bytes and how many they are before them.
_BYTE, _NUMBER, _BYTES = range(3)
_MAX_PARTS = 4
_MAX_ITEM_BYTES = 64  # of items that are all of one length
#: Longer parts of a file are not looked at.
_MAX_BYTES = 1 << 16
#: Less evidence is chance: some thousand settings are tried.
_MIN_EVIDENCE_BITS = 12
#: At most what the bytes of a count tell; those of a wide one are mostly zeros.
_MAX_COUNT_BITS = 16


class _Item(NamedTuple):
    start: int
    stop: int
    lengths: list[tuple[int, int, int]]  # of what is in it: where each stands, and its end


class _Vector(NamedTuple):
    start: int
    stop: int
    code: Code
    items: list[_Item]

    def hypothesis(self, first: int) -> Hypothesis:
        """Return what follows if it stands in a file from an offset on."""
        items = Items([[(first + each.start, first + each.stop)] for each in self.items])
        count = Number(first + self.start, first + self.stop, items, code=self.code)
        regions = [
            Region(first + start, first + stop, self.code, first + stop, first + end)
            for each in self.items
            for start, stop, end in each.lengths
        ]
        return Hypothesis([count], items, regions, of_bytes=True)


def vector_in(data: bytes, first: int, last: int, others: int = 1) -> Hypothesis | None:
    """Return the likeliest count with its items that fill a part of a file; None if none is likely.

    The more `others` of such parts there are, the likelier is chance.
    """
    if last - first > _MAX_BYTES:
        return None
    least = _MIN_EVIDENCE_BITS + math.log2(others)
    part = data[first:last]
    best: tuple[float, _Vector] | None = None
    for code, place in ((code, place) for code, places in _PLACES.items() for place in places):
        number = code.read(part, place)
        if number is None or not _MIN_ITEMS <= number[0] <= min(_MAX_ITEMS, len(part) - number[1]):
            continue
        count, begin = number
        counted = min(8 * (begin - place), _MAX_COUNT_BITS) - place
        for bits, items in _filled(part, begin, count, code):
            if bits + counted >= (least if best is None else best[0]):
                best = bits + counted, _Vector(place, begin, code, items)
    return None if best is None else best[1].hypothesis(first)


def _filled(part: bytes, begin: int, count: int, code: Code) -> Iterator[tuple[float, list[_Item]]]:
    """Yield ways to read so many items up to the end, and the evidence for each, in bits."""
    size, rest = divmod(len(part) - begin, count)
    least = 1 if code in {Code.LEB128, Code.U8} else 2  # a wide count of bytes is a length
    if not rest and least <= size <= _MAX_ITEM_BYTES:
        starts = range(begin, len(part), size)
        bits = math.log2(size + 1) + _repeated(part[begin::size])
        yield bits, [_Item(at, at + size, []) for at in starts]
    for parts in range(1, min(_MAX_PARTS, size) + 1):
        for shape in product((_BYTE, _NUMBER, _BYTES), repeat=parts):
            if set(shape) != {_BYTE} and (items := _items(part, begin, count, shape, code)):
                tags = bytes(part[item.start] for item in items) if shape[0] == _BYTE else b""
                yield math.log2(size + 1) + _repeated(tags) + 3 - 2 * parts, items


def _repeated(tags: bytes) -> float:
    """Return how unlikely it is by chance that items begin with the same few bytes, in bits."""
    kinds = len(set(tags))
    return max(len(tags) * (8 - math.log2(kinds)) - 8 * kinds, 0.0) if kinds else 0.0


def _items(part: bytes, at: int, count: int, shape: Sequence[int], code: Code) -> list[_Item]:
    """Return so many items of a shape, if they end where the part does; else nothing."""
    found: list[_Item] = []
    for _ in range(count):
        start = at
        lengths = []
        for each in shape:
            if each == _BYTE:
                at += 1
                continue
            number = code.read(part, at)
            if number is None:
                return []
            value, stop = number
            end = stop + value if each == _BYTES else stop
            if each == _BYTES:
                lengths.append((at, stop, end))
            at = end
        if at > len(part):
            return []
        found.append(_Item(start, at, lengths))
    return found if at == len(part) else []
