"""Vectors in bytes: a count, followed by that many items of one shape, up to the end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from nubbin.documents.consistency.codes import NARROW, WIDE
from nubbin.documents.consistency.in_bytes.rows import repeated
from nubbin.documents.consistency.items import Hypothesis, Items, Number, Region
from nubbin.documents.splice import Offsets

_MIN_ITEMS = 3
_MAX_ITEMS = 5_000
#: Where a count may be, in bytes from the beginning, by its code.
_PLACES = dict.fromkeys(NARROW, (0,)) | dict.fromkeys(WIDE[::-1], (0, 1, 2, 4, 8))
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


def vector_in(
    data: bytes, first: int = 0, last: int | None = None, others: int = 1
) -> list[Hypothesis]:
    """Return the likeliest count with items that fill a part of a file; [] if none is likely.

    If there are many `others` of such parts, chance is likelier, so it needs more evidence.
    """
    body = data[first:last]
    if len(body) > _MAX_BYTES:
        return []
    needed = _MIN_EVIDENCE_BITS + math.log2(others)
    best = list[Hypothesis]()
    for code, places in _PLACES.items():
        numbers = code.everywhere(body)
        least = 1 if code in NARROW else 2  # a wide count of bytes is a length
        for place in places:
            count, begin = code.read(body, place) or (0, 0)
            if not _MIN_ITEMS <= count <= min(_MAX_ITEMS, (len(body) - begin) // least):
                continue
            counted = min(8 * (begin - place), _MAX_COUNT_BITS) - place
            for bits, starts, sized in _filled(body, begin, count, numbers, needed - counted):
                if bits + counted >= needed:
                    needed = bits + counted
                    items = Items([[(first + at, first + end)] for at, end in pairwise(starts)])
                    number = Number(first + place, first + begin, items, code=code)
                    lengths = [
                        Region(first + at, first + stop, code, first + stop, first + end)
                        for at, stop, end in sized
                    ]
                    best = [Hypothesis([number], items, lengths, of_bytes=True)]
    return best


#: The evidence, where the items begin and the last ends, and of each part that has a length, where
#: the length is, where the bytes begin, and where they end.
_Way = tuple[float, Sequence[int], list[tuple[int, int, int]]]


def _filled(
    body: bytes, begin: int, count: int, numbers: tuple[Offsets, Offsets], needed: float
) -> Iterator[_Way]:
    """Yield the ways to read `count` items up to the end, with the evidence for each, in bits.

    Items that begin with a number have no evidence but their size: they must have what is needed.
    """
    size, rest = divmod(len(body) - begin, count)
    values, stops = (each.data for each in numbers)
    if not rest and size <= _MAX_ITEM_BYTES:
        bits = math.log2(size + 1) + max(repeated(body[begin::size]), 0.0)
        yield bits, range(begin, len(body) + 1, size), []
    for parts in range(1, min(_MAX_PARTS, size) + 1):
        bits = math.log2(size + 1) + 3 - 2 * parts
        for shape in product((_BYTE, _NUMBER, _BYTES), repeat=parts):
            has_tag = shape[0] == _BYTE
            if set(shape) == {_BYTE} or not (has_tag or bits >= needed):
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
