"""Blocks in bytes that hold blocks, each of which says how long it is: ASN.1, RIFF, boxes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence, Set
from itertools import product
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_bytes.chains import repeated, surprises_of
from nubbin.documents.consistency.items import Hypothesis, Items
from nubbin.documents.consistency.regions import Region
from nubbin.documents.splice import Span

_CODES = (
    Code.ASN1,
    Code.U32_BIG,
    Code.U32_LITTLE,
    Code.U16_BIG,
    Code.U16_LITTLE,
)
#: How many bytes stand before a length in its block.
_BEFORE = (1, 2, 4, 0)
#: Blocks begin at a multiple of so many bytes.
_ALIGNED = (1, 2, 4)
#: Where the first block of a file may begin, or the first one in another, in bytes.
_HEADS = (0, 4, 8, 12, 16)
_HEADS_INSIDE = (0, 4)
_MAX_BLOCKS = 20_000
#: Less evidence is chance: a thousand settings are tried.
_MIN_EVIDENCE_BITS = 32
#: What it tells less, because a row may begin in several places, and holds any blocks.
_ROW_BITS = 3


class _Setting(NamedTuple):
    """How blocks are written: what is before a length, and whether it counts that and itself."""

    code: Code
    before: int
    of_all: bool
    aligned: int


class _Block(NamedTuple):
    start: int
    stop: int  # of all of it, what aligns the next included
    length: Span
    first: int
    last: int

    def kind(self, data: bytes) -> bytes:
        """Return what stands before its length, or else the four bytes after it."""
        begin, stop = self.length
        return data[self.start : begin] or data[stop : stop + 4]


def nest_in(data: bytes) -> Hypothesis | None:
    """Return the likeliest way in which a file is blocks that hold others; None if none is likely.

    All blocks of a kind hold blocks, or none does. What is deleted to find out is in the longest
    row. Linear, for each of some hundred settings; most fail at once.
    """
    best: tuple[float, list[list[_Block]], Code] | None = None
    surprises = surprises_of(data)
    for setting in map(_Setting._make, product(_CODES, _BEFORE, (False, True), _ALIGNED)):
        for head in _HEADS:
            if rows := _rows(data, head, setting):
                evidence = _evidence(data, rows, setting.code, surprises)
                if best is None or evidence > best[0]:
                    best = evidence, rows, setting.code
    if best is None or best[0] < _MIN_EVIDENCE_BITS:
        return None
    _, rows, code = best
    regions = [
        Region(
            *each.length,
            code,
            each.first,
            each.last,
            code.number(data[slice(*each.length)]) - (each.last - each.first),
        )
        for row in rows
        for each in row
    ]
    lists = [Items([[(each.start, each.stop)] for each in row]) for row in rows if len(row) > 1]
    if not lists:
        return None
    longest = max(lists, key=lambda items: len(items.places))
    return Hypothesis([], longest, regions, of_bytes=True, within=lists)


def _rows(data: bytes, head: int, setting: _Setting) -> list[list[_Block]]:
    """Return the rows of blocks, those outside first; none if the file is no blocks in blocks."""
    outside = _row(data, head, len(data), setting)
    if not outside:
        return []
    holding: Set[bytes] | None = None
    for _ in range(3):  # what holds blocks is known better each time
        rows, kinds = [outside], defaultdict[bytes, set[bool]](set)
        for row in rows:
            for block in row:
                kind = block.kind(data)
                may_hold = holding is None or kind in holding
                inside = _inside(data, block, setting) if may_hold else []
                kinds[kind].add(bool(inside) or block.first == block.last)
                if inside and len(rows) < _MAX_BLOCKS:
                    rows.append(inside)
        fitting = {kind for kind, held in kinds.items() if held == {True}}
        if fitting == holding:
            break
        holding = fitting
    return rows if len(rows) > 1 else []


def _inside(data: bytes, block: _Block, setting: _Setting) -> list[_Block]:
    """Return the row of blocks that a block holds, perhaps after a few bytes; or none."""
    firsts = (block.first + skipped for skipped in _HEADS_INSIDE)
    rows = (_row(data, first, block.last, setting) for first in firsts if first < block.last)
    return next(filter(None, rows), [])


def _row(data: bytes, at: int, end: int, setting: _Setting) -> list[_Block]:
    """Return blocks that fill a range; none if they do not."""
    code, before, of_all, aligned = setting
    begin, row = at, list[_Block]()
    while at < end:
        number = code.read(data, at + before)
        if number is None or len(row) == _MAX_BLOCKS:
            return []
        size, first = number
        last = at + size if of_all else first + size
        if last < first or last > end:
            return []
        stop = min(last + -(last - begin) % aligned, end)
        row.append(_Block(at, stop, (at + before, first), first, last))
        at = stop
    return row


def _evidence(
    data: bytes, rows: Sequence[Sequence[_Block]], code: Code, surprises: Sequence[float]
) -> float:
    """Return how unlikely it is by chance, in bits: each row ends where it must.

    And the kinds of blocks are few, and the high bytes of wide lengths are those of small numbers.
    `surprises` is what each byte tells by itself, in bits.
    """
    bits = sum(math.log2((row[-1].stop - row[0].start) / len(row) + 1) - _ROW_BITS for row in rows)
    blocks = [block for row in rows for block in row]
    bits += repeated(b"".join(block.kind(data)[:1] for block in blocks), surprises)
    needed = -(-max(block.last - block.first for block in blocks).bit_length() // 8)
    spare = 0 if code is Code.ASN1 else blocks[0].length[1] - blocks[0].length[0] - needed
    return bits + max(spare, 0) * surprises[0] * len(blocks)
