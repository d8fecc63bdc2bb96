"""Vectors in bytes: a count, followed by that many items of one shape, up to the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, product, repeat
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_bytes.rows import ByteBlock, repeated, row
from nubbin.documents.consistency.items import Hypothesis, Items, Number
from nubbin.documents.consistency.regions import Region

_MIN_ITEMS = 3
_MAX_ITEMS = 5_000
#: Where a count may be, in bytes from the beginning, by its code.
_HEAD = (0, 1, 2, 4, 8)
_PLACES = {
    Code.LEB128: (0,),
    Code.U8: (0,),
    Code.U16_BIG: _HEAD,
    Code.U16_LITTLE: _HEAD,
    Code.U32_BIG: _HEAD,
    Code.U32_LITTLE: _HEAD,
}
#: The parts of an item: a byte, a number, or bytes after their number.
_BYTE, _NUMBER, _BYTES = range(3)
_MAX_PARTS = 4
_MAX_ITEM_BYTES = 64  # if all items have the same length
#: Longer parts of a file are not searched.
_MAX_BYTES = 1 << 16
#: Less evidence is chance, because some thousand settings are tried.
_MIN_EVIDENCE_BITS = 12
#: The most evidence of the bytes of a count; a wide one is mostly zeros.
_MAX_COUNT_BITS = 16


class _Shape(NamedTuple):
    """The parts of an item, and the code of its numbers."""

    parts: Sequence[int]
    code: Code

    def read(self, data: bytes, at: int, begin: int, end: int) -> ByteBlock | None:
        """Return the item at an offset."""
        start, lengths = at, list[Region]()
        for part in self.parts:
            if part == _BYTE:
                at += 1
                continue
            number = self.code.read(data, at)
            if number is None:
                return None
            value, first = number
            stop = first + value if part == _BYTES else first
            if part == _BYTES:
                lengths.append(Region(at, first, self.code, first, stop))
            at = stop
        return ByteBlock(start, at, lengths)


def vector_in(data: bytes, first: int, last: int, others: int = 1) -> Hypothesis | None:
    """Return the likeliest count with items that fill a part of a file; None if none is likely.

    If there are many `others` of such parts, chance is likelier, so it needs more evidence.
    """
    if last - first > _MAX_BYTES:
        return None
    least = _MIN_EVIDENCE_BITS + math.log2(others)
    best: Hypothesis | None = None
    part = data[:last]
    walk_in = cache(lambda code: _Walk(code, data[first:last]))
    for code, place in ((code, place) for code, places in _PLACES.items() for place in places):
        number = code.read(part, first + place)
        if number is None or not _MIN_ITEMS <= number[0] <= min(_MAX_ITEMS, last - number[1]):
            continue
        count, begin = number
        counted = min(8 * (begin - first - place), _MAX_COUNT_BITS) - place
        fills = partial(walk_in(code).fills, begin - first, count)
        for bits, blocks in _filled(part, begin, count, code, fills=fills, needed=least - counted):
            if bits + counted >= least:
                least = bits + counted
                items = Items([[(each.start, each.stop)] for each in blocks])
                numbers = [Number(first + place, begin, items, code=code)]
                lengths = [length for each in blocks for length in each.lengths]
                best = Hypothesis(numbers, items, lengths, of_bytes=True)
    return best


class _Walk:
    """Walks from item to item through bytes, whose numbers in one code are known everywhere."""

    def __init__(self, code: Code, data: bytes):
        self._values, self._stops = map(memoryview, code.everywhere(data))

    def fills(self, begin: int, count: int, shape: Sequence[int]) -> bool:
        """Tell whether so many items of a shape end where the bytes do."""
        values, stops, at = self._values, self._stops, begin
        try:
            for part in chain.from_iterable(repeat(shape, count)):
                if part == _BYTE:
                    at += 1
                elif stop := stops[at]:
                    at = stop + values[at] if part == _BYTES else stop
                else:
                    return False
        except IndexError:
            return False
        return at == len(stops)


def _filled(
    data: bytes,
    begin: int,
    count: int,
    code: Code,
    *,
    fills: Callable[[Sequence[int]], bool],
    needed: float,
) -> Iterator[tuple[float, list[ByteBlock]]]:
    """Yield the ways to read `count` items up to the end, with the evidence for each, in bits.

    Items that begin with a number have no evidence but their size: they must have what is needed.
    """
    size, rest = divmod(len(data) - begin, count)
    least = 1 if code in {Code.LEB128, Code.U8} else 2  # a wide count of bytes is a length
    if not rest and least <= size <= _MAX_ITEM_BYTES:
        bits = math.log2(size + 1) + max(repeated(data[begin::size]), 0.0)
        yield bits, [ByteBlock(at, at + size) for at in range(begin, len(data), size)]
    for parts in range(1, min(_MAX_PARTS, size) + 1):
        bits = math.log2(size + 1) + 3 - 2 * parts
        for shape in product((_BYTE, _NUMBER, _BYTES), repeat=parts):
            has_tag = shape[0] == _BYTE
            if set(shape) == {_BYTE} or not (has_tag or bits >= needed) or not fills(shape):
                continue
            items = row(data, begin, len(data), _Shape(shape, code).read, count)
            tags = bytes(data[each.start] for each in items) if has_tag else b""
            yield bits + max(repeated(tags), 0.0), items
