"""Lists of parts in bytes: a count, and then an offset for each part, as in the tables of fonts.

The offsets are relative to a place a little before the count. The first part follows the offsets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from nubbin.documents.consistency.codes import WIDTHS, Code
from nubbin.documents.consistency.in_bytes.rows import entries
from nubbin.documents.consistency.items import Hypothesis, Number
from nubbin.documents.consistency.regions import Region
from nubbin.documents.splice import Offsets

_MIN_PARTS = 4
#: An entry has so many numbers at most, the offset as the last.
_MAX_NUMBERS = 4
#: The bytes from where offsets are relative to up to the count.
_MAX_BEFORE = 16
#: This share of the offsets may be smaller than the one before.
_MAX_UNORDERED = 1 / 4
#: Less evidence is chance: any number may be a count.
_MIN_EVIDENCE_BITS = 24


def pointers_in(data: bytes, first: int, last: int) -> list[Hypothesis]:
    """Return the likely lists in a part of a file; linear, for each of some twenty settings."""
    taken, found = set[int](), list[Hypothesis]()
    for _, code, base, at in sorted(_likely(data[first:last]), key=lambda each: -each[0]):
        numbers = range(at.start - at.step, at[-1] + 1)
        if taken.isdisjoint(numbers):
            taken.update(numbers)
            moved = range(at.start + first, at.stop + first, at.step)
            found.append(_hypothesis(data, code, base + first, moved, last))
    return found


def _likely(body: bytes) -> Iterator[tuple[float, Code, int, range]]:
    """Yield the evidence for each list in bits, its code, its base, and where its offsets are."""
    for code, width in WIDTHS.items():
        values, _ = code.everywhere(body)
        for size in range(width, _MAX_NUMBERS * width + 1, width):
            at = np.arange(0, len(body) - size - width, width)
            stops = at + width + size * values[at]
            bases = stops - values[at + size]
            fits = (values[at] >= _MIN_PARTS) & (stops < len(body)) & (bases >= 0) & (bases <= at)
            fits &= (bases == 0) | (bases % width == 0) & (at - bases <= _MAX_BEFORE)
            for count, stop, base in np.stack((at, stops, bases))[:, fits].T.tolist():
                offsets = range(count + size, stop + size - width, size)
                bits = _evidence(values[count + size : stop : size], width, len(body) - base)
                if bits >= _MIN_EVIDENCE_BITS:
                    yield bits, code, base, offsets


def _evidence(offsets: Offsets, width: int, end: int) -> float:
    """Return how unlikely it is by chance that all parts are aligned, and one follows, in bits.

    0 if they cannot be offsets up to `end`. An offset of 0 is of no part.
    """
    there = offsets[offsets > 0]
    is_ordered = np.count_nonzero(np.diff(there) < 0) <= _MAX_UNORDERED * there.size
    if there.min() < offsets[0] or there.max() >= end or np.any(there % width) or not is_ordered:
        return 0
    return np.unique(there).size * math.log2(width) + math.log2(np.ptp(there) / _MAX_BEFORE + 1)


def _hypothesis(data: bytes, code: Code, base: int, at: range, last: int) -> Hypothesis:
    """Return the list whose offsets are at some places; the last part may end at `last`.

    Numbers before the count may also be offsets, and lists of as many numbers have a number for
    each part.
    """
    width, size, count = WIDTHS[code], at.step, at.start - at.step
    begin, stop = count + width, count + width + size * len(at)
    numbers = (*range(base, count, width), *at)
    told = {each: base + code.number(data[each : each + width]) for each in numbers}
    told = {each: target for each, target in told.items() if stop <= target < last}
    ends = dict(pairwise(sorted({last, *told.values()})))
    parts = {(told[each], ends[told[each]]): each for each in reversed(at) if each in told}
    items = entries(begin, size, len(at), parts)
    counts = [count]
    for row in _rows(data, code, len(at), stop, last):
        counts.append(row - width)
        for number, item in enumerate(items.places):
            item.append((row + number * width, row + (number + 1) * width))
    return Hypothesis(
        [Number(each, each + width, items, code=code) for each in counts],
        items,
        [Region(each, each + width, code, base, target) for each, target in told.items()],
        of_bytes=True,
    )


def _rows(data: bytes, code: Code, count: int, first: int, last: int) -> Iterator[int]:
    """Yield where increasing numbers begin, after their count."""
    width, (values, _) = WIDTHS[code], code.everywhere(data[first:last])
    for at in (np.flatnonzero(values[::width] == count) + 1) * width:
        numbers = values[at : at + width * count : width]
        if numbers.size == count and np.all(np.diff(numbers) > 0):
            yield first + int(at)
