"""Tables in bytes with the offsets and lengths of a file's parts: ELF, fonts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_bytes.heads import MAX_HEAD_BYTES, ORDERS, Said, said
from nubbin.documents.consistency.items import Hypothesis, Items
from nubbin.documents.consistency.regions import Region
from nubbin.documents.splice import Mask, Offsets, Span

_WIDTH = 4  # bytes of an offset
#: Bytes of an entry, and the distance from an offset to its length.
_ENTRIES = (12, 16, 20, 24, 32, 40, 64)
_LENGTHS = (4, 8)
#: The table begins less than so many bytes before the first entry that describes a part.
_MAX_BEFORE = 2 * _ENTRIES[-1]
_MIN_PARTS = 4
#: The parts fill more than this share of a file, and this share of them overlaps no earlier one.
_MIN_SHARE = 1 / 2
_MIN_APART = 3 / 4
#: The most entries at both ends of the table that describe no part.
_MAX_EMPTY = 4


class _Table(NamedTuple):
    order: Sequence[Code]  # the first is the code of the offsets
    size: int  # bytes of an entry
    further: int  # the distance from an offset to its length
    at: Sequence[int]  # where the offsets are
    spans: list[Span]  # one for each entry
    parts: list[Span]

    def entries(self, begin: int, count: int) -> Items:
        """Return the entries from `begin` on, each with the part that it is the first of."""
        items = [[(begin + n * self.size, begin + (n + 1) * self.size)] for n in range(count)]
        firsts = dict(zip(reversed(self.spans), reversed(self.at), strict=True))
        for part in self.parts:
            items[(firsts[part] - begin) // self.size].append(part)
        return Items(items)

    def counted_by(self, number: Said, begins: Iterable[int], size: int) -> Items | None:
        """Return the entries if a number counts them and some others, which describe no part.

        They begin at one of some offsets, or end where the parts begin. A file has `size` bytes.
        """
        first, last = self.parts[0][0], self.parts[-1][1]
        length = self.size * number.value
        for begin in (first - length, *begins):
            before, inside = divmod(self.at[0] - begin, self.size)
            after = number.value - before - len(self.at)
            is_apart = begin + length <= first or last <= begin
            is_whole = inside + self.further + _WIDTH <= self.size and begin + length <= size
            is_likely = min(before, after) >= 0 and before + after <= _MAX_EMPTY
            if number.stop <= begin and is_apart and is_whole and is_likely:
                return self.entries(begin, number.value)
        return None


def directories_in(data: bytes) -> list[Hypothesis]:
    """Return the parts whose offsets and lengths are in a table; [] if there is no table.

    If a number counts the entries of the table, the first hypothesis removes them with the parts.
    Linear, for each of some thirty settings.
    """
    most, best = _MIN_SHARE * len(data), None
    numbers = {order: order[0].everywhere(data)[0][: len(data) - _WIDTH + 1] for order in ORDERS}
    for (order, values), further in product(numbers.items(), _LENGTHS):
        if values.size <= further:
            continue
        starts, lengths = values[:-further], values[further:]
        fits = starts + lengths <= len(data)
        tells = np.flatnonzero(fits & (starts > 0) & (lengths > 0))
        runs = ((size, at) for size in _ENTRIES for at in _entries(fits, tells, lengths, size))
        for size, at in runs:
            chosen = slice(at.start, at.stop, size)
            if _covered(starts[chosen], lengths[chosen]) <= _MIN_SHARE * len(data):
                continue
            spans = [(int(starts[n]), int(starts[n] + lengths[n])) for n in at]
            parts = _parts(spans)
            covered = sum(stop - start for start, stop in parts)
            if covered > most:
                most, best = covered, _Table(order, size, further, at, spans, parts)
    return _hypotheses(data, best) if best else []


def _entries(fits: Mask, tells: Offsets, lengths: Offsets, size: int) -> Iterator[range]:
    """Yield runs of offsets, a size apart, that all fit, from the first that tells to the last.

    Offsets whose lengths do not add up to enough of the file are left out.
    """
    told = np.bincount(tells % size, lengths[tells], size)
    for residue in np.flatnonzero(told > _MIN_SHARE * fits.size):
        at = tells[tells % size == residue]
        ends = np.flatnonzero(~fits[residue::size])
        runs = np.searchsorted(ends, at // size)
        _, firsts, counts = np.unique(runs, return_index=True, return_counts=True)
        for n in np.flatnonzero(counts >= _MIN_PARTS):
            first, last = at[firsts[n]], at[firsts[n] + counts[n] - 1]
            yield range(int(first), int(last) + 1, size)


def _covered(starts: Offsets, lengths: Offsets) -> int:
    order = np.argsort(starts)
    starts, stops = starts[order], (starts + lengths)[order]
    reach = np.maximum.accumulate(stops)
    fresh = stops - np.maximum(starts, np.append(0, reach[:-1]))
    return int(fresh[fresh > 0].sum())


def _parts(spans: list[Span]) -> list[Span]:
    """Return the spans that overlap no earlier one; [] if they are too few."""
    there = sorted({span for span in spans if span[0] and span[0] < span[1]})
    apart: list[Span] = []
    for span in there:
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart if len(apart) >= max(_MIN_PARTS, _MIN_APART * len(there)) else []


def _hypotheses(data: bytes, table: _Table) -> list[Hypothesis]:
    """Return the entries with their parts, if a number counts them, and the parts alone."""
    (code, *_), first, regions = table.order, table.at[0], list[Region]()
    for entry, (start, stop) in zip(table.at, table.spans, strict=True):
        if start:
            length = entry + table.further
            regions.append(Region(entry, entry + _WIDTH, code, 0, start))
            regions.append(Region(length, length + _WIDTH, code, start, stop))
    head = [*said(data, min(MAX_HEAD_BYTES, first), table.order)]
    begins = [
        each
        for each in head
        if each.code is code and each.start % _WIDTH == 0
        if each.start < each.value <= first < each.value + _MAX_BEFORE
    ]
    regions += [Region(each.start, each.stop, code, 0, each.value) for each in begins]
    for begin, last in table.parts:  # one may begin with its own length, as .debug_info does
        for each in said(data[begin:last], _WIDTH, table.order):
            own = each._replace(start=each.start + begin, stop=each.stop + begin)
            regions += own.measures(own.stop, last)
    found = [Hypothesis([], Items([[part] for part in table.parts]), regions, of_bytes=True)]
    for each in head:
        if items := table.counted_by(each, (begin.value for begin in begins), len(data)):
            return [Hypothesis([each.counts(items)], items, regions, of_bytes=True), *found]
    return found
