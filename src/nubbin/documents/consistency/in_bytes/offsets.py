"""Tables of offsets: with the lengths of parts, as in ELF and fonts, or after a count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, product
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import WIDE, WIDTHS, Code
from nubbin.documents.consistency.in_bytes.rows import (
    MAX_HEAD_BYTES,
    ORDERS,
    HeadNumber,
    entries,
    head_numbers,
    likeliest,
)
from nubbin.documents.consistency.items import Hypothesis, Items, Number, Region
from nubbin.documents.splice import Mask, Offsets, Span

# -- offsets and lengths ----------------------------------------------------------------------

_WIDTH = 4  # bytes of an offset
#: Bytes of an entry, and the distance from an offset to its length.
_ENTRIES = (12, 16, 20, 24, 32, 40, 64)
_LENGTHS = (4, 8, -4)
#: The table begins less than this many bytes before the first entry that describes a part.
_MAX_BEFORE = 128
_MIN_PARTS = 4
#: The parts fill at least this share of a file. This share of them ends less than a gap
#: before another begins; that is why most of all numbers are no offsets and lengths.
_MIN_SHARE = 1 / 2
_MIN_FOLLOWED, _MAX_GAP = 3 / 4, 16
#: This share of them overlaps no earlier one.
_MIN_APART = 3 / 4
#: The most entries at both ends of the table that describe no part.
_MAX_EMPTY = 4


class _Directory(NamedTuple):
    """Offsets of parts, an entry apart, each with a length further on."""

    order: Sequence[Code]  # the first is the code of the offsets
    further: int
    at: range
    spans: list[Span]  # one for each entry
    parts: list[Span]

    def counted_by(self, number: HeadNumber, begin: int, size: int) -> Items | None:
        """Return the entries if a number counts them and some others, which describe no part.

        They may begin at `begin`. A file has `size` bytes.
        """
        first, last, step = self.parts[0][0], self.parts[-1][1], self.at.step
        end = begin + step * number.value
        before, inside = divmod(self.at[0] - begin, step)
        after = number.value - before - len(self.at)
        numbers = inside, inside + self.further
        is_whole = min(numbers) >= 0 and max(numbers) + _WIDTH <= step and end <= size
        is_apart = number.stop <= begin and (end <= first or last <= begin)
        is_likely = min(before, after) >= 0 and before + after <= _MAX_EMPTY
        if not (is_whole and is_apart and is_likely):
            return None
        firsts = dict(zip(reversed(self.spans), reversed(self.at), strict=True))
        return entries(begin, step, number.value, {part: firsts[part] for part in self.parts})


def directories_in(data: bytes) -> list[Hypothesis]:
    """Return the parts whose offsets and lengths are in a table; [] if there is no table.

    If a number counts the entries of the table, the first hypothesis removes them with the parts.
    Lists of parts in the parts follow.
    Linear, for each of some thirty settings.
    """
    best = likeliest(_directories(data), _MIN_SHARE * len(data))
    if best is None:
        return []
    inside = (each for part in best.parts for each in pointers_in(data, *part))
    return [*_hypotheses(data, best), *inside]


def _directories(data: bytes) -> Iterator[tuple[float, _Directory]]:
    """Yield what may be tables, and the number of bytes in the parts of each."""
    numbers = {order: order[0].everywhere(data)[0][: len(data) - _WIDTH + 1] for order in ORDERS}
    for (order, values), further in product(numbers.items(), _LENGTHS):
        low, high = max(-further, 0), max(further, 0)
        if values.size <= low + high:
            continue
        starts, lengths = values[low : values.size - high], values[high : values.size - low]
        stops = starts + lengths
        fits = stops <= len(data)
        useful = np.flatnonzero(fits & (starts > 0) & (lengths > 0))
        for run in chain.from_iterable(_runs(fits, useful, lengths, size) for size in _ENTRIES):
            chosen = slice(run.start, run.stop, run.step)
            if parts := _parts(starts[chosen], stops[chosen]):
                at = range(run.start + low, run.stop + low, run.step)
                spans = [*zip(starts[chosen].tolist(), stops[chosen].tolist(), strict=True)]
                covered = sum(stop - start for start, stop in parts)
                yield covered, _Directory(order, further, at, spans, parts)


def _runs(fits: Mask, useful: Offsets, lengths: Offsets, size: int) -> Iterator[range]:
    """Yield runs of offsets, a size apart, that all fit, from the first that tells to the last.

    Offsets whose lengths do not add up to enough of the file are left out.
    """
    totals = np.bincount(useful % size, lengths[useful], size)
    for residue in np.flatnonzero(totals > _MIN_SHARE * fits.size):
        at = useful[useful % size == residue]
        ends = np.flatnonzero(~fits[residue::size])
        runs = np.searchsorted(ends, at // size)
        _, firsts, counts = np.unique(runs, return_index=True, return_counts=True)
        enough = np.add.reduceat(lengths[at], firsts) > _MIN_SHARE * fits.size
        for n in np.flatnonzero((counts >= _MIN_PARTS) & enough):
            first, last = at[firsts[n]], at[firsts[n] + counts[n] - 1]
            yield range(int(first), int(last) + 1, size)


def _parts(starts: Offsets, stops: Offsets) -> list[Span]:
    """Return the spans that overlap no earlier one; [] if they are too few.

    Of those with one offset, the first is one that another follows: most of the others are empty,
    and their lengths are those of memory, for instance.
    """
    spans = np.unique((starts << 32 | stops)[(starts > 0) & (starts < stops)])
    starts, stops = spans >> 32, spans & 0xFFFFFFFF
    following = np.append(starts, stops.max(initial=0))[np.searchsorted(starts, stops)]
    followed = following - stops < _MAX_GAP
    apart: list[int] = []
    for n in np.lexsort((~followed, starts)).tolist():
        if not apart or starts[n] >= stops[apart[-1]]:
            apart.append(n)
    if np.count_nonzero(followed[apart]) < _MIN_FOLLOWED * len(apart):
        return []
    is_many = len(apart) >= max(_MIN_PARTS, _MIN_APART * starts.size)
    return [*zip(starts[apart].tolist(), stops[apart].tolist(), strict=True)] if is_many else []


def _hypotheses(data: bytes, table: _Directory) -> list[Hypothesis]:
    """Return the entries with their parts, if a number counts them, and the parts alone."""
    code, first = table.order[0], table.at[0]
    regions = list[Region]()
    for at, (start, stop) in zip(table.at, table.spans, strict=True):
        if start:
            length = at + table.further
            regions.append(Region(at, at + _WIDTH, code, 0, start))
            regions.append(Region(length, length + _WIDTH, code, start, stop))
    head = head_numbers(data, min(MAX_HEAD_BYTES, first), table.order)
    begins = [
        each
        for each in head
        if each.code is code and each.start % _WIDTH == 0
        if each.start < each.value <= first < each.value + _MAX_BEFORE
    ]
    regions += [Region(each.start, each.stop, code, 0, each.value) for each in begins]
    for (begin, last), own in product(table.parts, table.order):
        if (read := own.read(data, begin)) is not None:  # as .debug_info begins with its length
            value, stop = read
            regions += HeadNumber(begin, stop, own, value).measures(stop, last)
    found = [Hypothesis([], Items([[part] for part in table.parts]), regions, of_bytes=True)]
    for each in head:
        before = table.parts[0][0] - table.at.step * each.value
        for begin in (before, *(offset.value for offset in begins)):
            if items := table.counted_by(each, begin, len(data)):
                return [Hypothesis([each.counts(items)], items, regions, of_bytes=True), *found]
    return found


# -- a count, and then an offset for each part ------------------------------------------------

#: Offsets are relative to a place a little before the count. The first part follows them.
_MIN_POINTERS = 4
#: The most numbers in an entry; the last is the offset.
_MAX_NUMBERS = 4
#: The bytes from where offsets are relative to up to the count.
_MAX_BEFORE_COUNT = 16
#: This share of the offsets may be smaller than the one before.
_MAX_UNORDERED = 1 / 4
#: Less evidence is chance: any number may be a count.
_MIN_EVIDENCE_OF_POINTERS = 24


def pointers_in(data: bytes, first: int = 0, last: int | None = None) -> list[Hypothesis]:
    """Return the likely lists in a part of a file; linear, for each of some twenty settings."""
    last = len(data) if last is None else last
    taken, found = set[int](), list[Hypothesis]()
    for _, code, base, at in sorted(_likely(data[first:last]), key=lambda each: -each[0]):
        numbers = range(at.start - at.step, at[-1] + 1)
        if taken.isdisjoint(numbers):
            taken.update(numbers)
            moved = range(at.start + first, at.stop + first, at.step)
            found.append(_list_of(data, code, base + first, moved, last))
    return found


def _likely(body: bytes) -> Iterator[tuple[float, Code, int, range]]:
    """Yield the evidence for each list in bits, its code, its base, and where its offsets are."""
    for code in WIDE:
        width, (values, _) = WIDTHS[code], code.everywhere(body)
        for size in range(width, _MAX_NUMBERS * width + 1, width):
            at = np.arange(0, len(body) - size - width, width)
            stops = at + width + size * values[at]
            bases = stops - values[at + size]
            fits = (
                (values[at] >= _MIN_POINTERS) & (stops < len(body)) & (bases >= 0) & (bases <= at)
            )
            fits &= (bases == 0) | (bases % width == 0) & (at - bases <= _MAX_BEFORE_COUNT)
            for count, stop, base in np.stack((at, stops, bases))[:, fits].T.tolist():
                offsets = range(count + size, stop + size - width, size)
                bits = _evidence_of(values[count + size : stop : size], width, len(body) - base)
                if bits >= _MIN_EVIDENCE_OF_POINTERS:
                    yield bits, code, base, offsets


def _evidence_of(offsets: Offsets, width: int, end: int) -> float:
    """Return how unlikely it is by chance that all parts are aligned, and one follows, in bits.

    0 if they cannot be offsets up to `end`. An offset of 0 is of no part.
    """
    there = offsets[offsets > 0]
    is_ordered = np.count_nonzero(np.diff(there) < 0) <= _MAX_UNORDERED * there.size
    if there.min() < offsets[0] or there.max() >= end or np.any(there % width) or not is_ordered:
        return 0
    return np.unique(there).size * math.log2(width) + math.log2(
        np.ptp(there) / _MAX_BEFORE_COUNT + 1
    )


def _list_of(data: bytes, code: Code, base: int, at: range, last: int) -> Hypothesis:
    """Return the list whose offsets are at some places; the last part may end at `last`.

    Numbers before the count may also be offsets, and lists of as many numbers have a number for
    each part.
    """
    width, size, count = WIDTHS[code], at.step, at.start - at.step
    begin, stop = count + width, count + width + size * len(at)
    numbers = (*range(base, count, width), *at)
    targets = {each: base + code.number(data[each : each + width]) for each in numbers}
    targets = {each: target for each, target in targets.items() if stop <= target < last}
    ends = dict(pairwise(sorted({last, *targets.values()})))
    parts = {(targets[each], ends[targets[each]]): each for each in reversed(at) if each in targets}
    items = entries(begin, size, len(at), parts)
    counts = [count]
    for row in _increasing(data, code, len(at), stop, last):
        counts.append(row - width)
        for number, item in enumerate(items.places):
            item.append((row + number * width, row + (number + 1) * width))
    return Hypothesis(
        [Number(each, each + width, items, code=code) for each in counts],
        items,
        [Region(each, each + width, code, base, target) for each, target in targets.items()],
        of_bytes=True,
    )


def _increasing(data: bytes, code: Code, count: int, first: int, last: int) -> Iterator[int]:
    """Yield where increasing numbers begin, after their count."""
    width, (values, _) = WIDTHS[code], code.everywhere(data[first:last])
    for at in (np.flatnonzero(values[::width] == count) + 1) * width:
        numbers = values[at : at + width * count : width]
        if numbers.size == count and np.all(np.diff(numbers) > 0):
            yield first + int(at)
