"""Tables in bytes with the offsets and lengths of a file's parts: ELF, fonts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_bytes.rows import MAX_HEAD_BYTES, ORDERS, Said, entries, said
from nubbin.documents.consistency.items import Hypothesis, Items
from nubbin.documents.consistency.regions import Region
from nubbin.documents.splice import Mask, Offsets, Span

_WIDTH = 4  # bytes of an offset
#: Bytes of an entry, and the distance from an offset to its length.
_ENTRIES = (12, 16, 20, 24, 32, 40, 64)
_LENGTHS = (4, 8, -4)
#: The table begins less than so many bytes before the first entry that describes a part.
_MAX_BEFORE = 128
_MIN_PARTS = 4
#: The parts fill more than this share of a file. This share of them ends less than so many bytes
#: before another begins; that is why most of all numbers are no offsets and lengths.
_MIN_SHARE = 1 / 2
_MIN_FOLLOWED, _MAX_GAP = 3 / 4, 16
#: This share of them overlaps no earlier one.
_MIN_APART = 3 / 4
#: The most entries at both ends of the table that describe no part.
_MAX_EMPTY = 4


class _Table(NamedTuple):
    """Offsets of parts, an entry apart, each with a length further on."""

    order: Sequence[Code]  # the first is the code of the offsets
    further: int
    at: range
    spans: list[Span]  # one for each entry
    parts: list[Span]

    def counted_by(self, number: Said, begin: int, size: int) -> Items | None:
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
    Linear, for each of some thirty settings.
    """
    most, best = _MIN_SHARE * len(data), None
    numbers = {order: order[0].everywhere(data)[0][: len(data) - _WIDTH + 1] for order in ORDERS}
    for (order, values), further in product(numbers.items(), _LENGTHS):
        low, high = max(-further, 0), max(further, 0)
        if values.size <= low + high:
            continue
        starts, lengths = values[low : values.size - high], values[high : values.size - low]
        stops = starts + lengths
        fits = stops <= len(data)
        tells = np.flatnonzero(fits & (starts > 0) & (lengths > 0))
        for run in chain.from_iterable(_runs(fits, tells, lengths, size) for size in _ENTRIES):
            chosen = slice(run.start, run.stop, run.step)
            parts = _parts(starts[chosen], stops[chosen])
            covered = sum(stop - start for start, stop in parts)
            if covered > most:
                at = range(run.start + low, run.stop + low, run.step)
                spans = [*zip(starts[chosen].tolist(), stops[chosen].tolist(), strict=True)]
                most, best = covered, _Table(order, further, at, spans, parts)
    return _hypotheses(data, best) if best else []


def _runs(fits: Mask, tells: Offsets, lengths: Offsets, size: int) -> Iterator[range]:
    """Yield runs of offsets, a size apart, that all fit, from the first that tells to the last.

    Offsets whose lengths do not add up to enough of the file are left out.
    """
    told = np.bincount(tells % size, lengths[tells], size)
    for residue in np.flatnonzero(told > _MIN_SHARE * fits.size):
        at = tells[tells % size == residue]
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


def _hypotheses(data: bytes, table: _Table) -> list[Hypothesis]:
    """Return the entries with their parts, if a number counts them, and the parts alone."""
    code, first = table.order[0], table.at[0]
    regions = list[Region]()
    for at, (start, stop) in zip(table.at, table.spans, strict=True):
        if start:
            length = at + table.further
            regions.append(Region(at, at + _WIDTH, code, 0, start))
            regions.append(Region(length, length + _WIDTH, code, start, stop))
    head = said(data, min(MAX_HEAD_BYTES, first), table.order)
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
            regions += Said(begin, stop, own, value).measures(stop, last)
    found = [Hypothesis([], Items([[part] for part in table.parts]), regions, of_bytes=True)]
    for each in head:
        before = table.parts[0][0] - table.at.step * each.value
        for begin in (before, *(offset.value for offset in begins)):
            if items := table.counted_by(each, begin, len(data)):
                return [Hypothesis([each.counts(items)], items, regions, of_bytes=True), *found]
    return found
