"""Tables in bytes with the offsets and lengths of a file's parts: ELF, fonts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import Hypothesis, Items
from nubbin.documents.consistency.regions import Region
from nubbin.documents.splice import Mask, Span

_CODES = (Code.U32_LITTLE, Code.U32_BIG)
_WIDTH = 4  # bytes of both
#: Bytes of an entry, and the distance from an offset to its length.
_ENTRIES = (12, 16, 20, 24, 32, 40, 64)
_LENGTHS = (4, 8)
_MIN_PARTS = 4
#: The parts fill more than this share of a file, and this share of them overlaps no earlier one.
_MIN_SHARE = 1 / 2
_MIN_APART = 3 / 4
#: The first bytes of a file, which may contain the offset of the table.
_HEAD_BYTES = 64


class _Table(NamedTuple):
    code: Code
    further: int  # the distance from an offset to its length
    at: list[int]  # where the offsets are
    spans: list[Span]  # one for each entry
    parts: list[Span]


def directory_in(data: bytes) -> Hypothesis | None:
    """Return the parts whose offsets and lengths are in a table; None if there is no table.

    Linear, for each of some thirty settings.
    """
    best: tuple[int, _Table] | None = None
    for code, size, further in product(_CODES, _ENTRIES, _LENGTHS):
        values = code.at_all_offsets(data)
        if values is None or values.size <= further:
            continue
        starts, lengths = values[:-further], values[further:]
        fits = starts + lengths <= len(data)
        for at in _entries(fits, fits & (starts > 0) & (lengths > 0), size):
            spans = [(int(starts[n]), int(starts[n] + lengths[n])) for n in at]
            parts = _parts(spans, len(data))
            covered = sum(stop - start for start, stop in parts)
            if parts and (best is None or covered > best[0]):
                best = covered, _Table(code, further, at, spans, parts)
    return best and _hypothesis(data, best[1])


def _entries(fits: Mask, tells: Mask, size: int) -> Iterator[list[int]]:
    """Yield runs of offsets, a size apart, that all fit, from the first that tells to the last."""
    for residue in range(size):
        at = np.flatnonzero(tells[residue::size])
        if at.size < _MIN_PARTS:
            continue
        ends = np.flatnonzero(~fits[residue::size])
        runs = np.searchsorted(ends, at)
        for run in np.flatnonzero(np.bincount(runs) >= _MIN_PARTS):
            inside = at[runs == run]
            yield [residue + size * n for n in range(int(inside[0]), int(inside[-1]) + 1)]


def _parts(spans: list[Span], total: int) -> list[Span]:
    """Return the spans that overlap no earlier one; [] if they are too few, or too short."""
    there = sorted({span for span in spans if span[0] and span[0] < span[1]})
    apart: list[Span] = []
    for span in there:
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    is_much = sum(stop - start for start, stop in apart) > _MIN_SHARE * total
    is_apart = len(apart) >= max(_MIN_PARTS, _MIN_APART * len(there))
    return apart if is_much and is_apart else []


def _hypothesis(data: bytes, table: _Table) -> Hypothesis:
    code, regions = table.code, list[Region]()
    for entry, (start, stop) in zip(table.at, table.spans, strict=True):
        if start:
            length = entry + table.further
            regions.append(Region(entry, entry + _WIDTH, code, 0, start))
            regions.append(Region(length, length + _WIDTH, code, start, stop))
    for n in range(0, min(_HEAD_BYTES, len(data)), _WIDTH):
        read = code.read(data, n)
        if read is not None and 0 <= table.at[0] - read[0] < _ENTRIES[-1] * 2 and read[0] > n:
            regions.append(Region(n, n + _WIDTH, code, 0, read[0]))
    return Hypothesis([], Items([[part] for part in table.parts]), regions, of_bytes=True)
