"""Chains of blocks in bytes, each of them with its length: chunks, packets, records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np

from nubbin.documents.consistency.codes import NARROW, WIDE, Code
from nubbin.documents.consistency.in_bytes.rows import (
    MAX_BLOCKS,
    ByteBlock,
    evidence,
    promising,
    said,
    surprises_of,
)
from nubbin.documents.consistency.items import Hypothesis, Items
from nubbin.documents.consistency.regions import CHECKSUMS, Region

_MIN_BLOCKS = 3
#: The longest header of a file or a block.
_MAX_HEAD_BYTES = 64
#: By the code of the lengths: how far from the beginning the first may be, and how many bytes of a
#: block they may leave out. With lengths of one byte, any bytes are a chain if enough is tried.
_SETTINGS = dict.fromkeys(WIDE, (48, range(-8, 25))) | dict.fromkeys(NARROW, (16, range(4)))
#: Less evidence is chance, because some ten thousand settings are tried.
_MIN_EVIDENCE_BITS = 24


def chain_in(data: bytes) -> Hypothesis | None:
    """Return the likeliest chain that ends at the end of a file; None if none is likely.

    It includes the lengths and the count in the header before it, and the checksums of blocks.
    """
    best, found = 0.0, list[ByteBlock]()
    surprises = surprises_of(data)
    for code, (starts, overheads) in _SETTINGS.items():
        numbers = code.everywhere(data)
        places = product(range(min(starts, len(data))), (0,), (0,), overheads, (1,))
        settings = np.array([*places], dtype=np.int64).reshape(-1, 5)
        walk = _Walk(*(each.data for each in numbers))
        for at, _, _, overhead, _ in promising(numbers, settings, _MAX_HEAD_BYTES):
            lengths = walk.lengths(code, at, overhead)
            if len({each.last - each.first for each in lengths}) < 2:
                continue
            before = lengths[-1].last - len(data)
            if before <= at:
                blocks = _blocks(data, lengths, before)
                bits = evidence([blocks], surprises) - before - abs(overhead)
                if bits > best:
                    best, found = bits, blocks
    return _described(data, found) if best >= _MIN_EVIDENCE_BITS else None


class _Walk:
    """Walks from length to length through a file, whose numbers in one code are known everywhere.

    Most walks fail, and many of them meet: where a walk has failed, a later one is not repeated.
    """

    def __init__(self, values: Sequence[int], stops: Sequence[int]):
        self._values, self._stops = values, stops
        self._failed: defaultdict[int, set[int]] = defaultdict(set)  # offsets, by the overhead

    def lengths(self, code: Code, at: int, overhead: int) -> list[Region]:
        """Return the lengths of a chain from an offset on; [] if they do not fit.

        The last block ends where the data does, or less than a header later.
        """
        values, stops, failed = self._values, self._stops, self._failed[overhead]
        starts, empty = [at], 0
        while at < len(stops):
            stop, value = stops[at], values[at]
            following = stop + value + overhead
            fits = 0 < stop <= following <= len(stops) + _MAX_HEAD_BYTES and at not in failed
            if not fits or len(starts) > MAX_BLOCKS:
                failed.update(() if fits else starts)
                return []
            empty += not value
            starts.append(at := following)
        if len(starts) <= _MIN_BLOCKS or 2 * empty >= len(starts):
            return []
        spans = ((at, stops[at], last) for at, last in pairwise(starts))
        return [Region(at, stop, code, stop, last, -overhead) for at, stop, last in spans]


def _blocks(data: bytes, lengths: Sequence[Region], before: int) -> list[ByteBlock]:
    """Return the blocks of a chain, which begin `before` bytes before their lengths."""
    moved = (each._replace(last=each.last - before, add=each.add + before) for each in lengths)
    spans = ((each.start - before, each) for each in moved)
    return [ByteBlock(at, each.last, (each,), data[at : each.start]) for at, each in spans]


def _described(data: bytes, chain: Sequence[ByteBlock]) -> Hypothesis:
    """Return the hypothesis of a chain."""
    items = Items([[(block.start, block.stop)] for block in chain])
    regions = [length for block in chain for length in block.lengths]
    regions += [*_echoes(data, chain), *_checksums(data, chain)]
    begin, last = chain[0].start, chain[-1].stop
    head = said(data, begin, _SETTINGS)
    numbers = [each.counts(items) for each in head if each.value == len(chain)]
    wide = [each for each in head if each.code in WIDE]
    regions += [region for each in wide for region in each.measures(begin, last)]
    return Hypothesis(numbers, items, regions, of_bytes=True)


def _echoes(data: bytes, chain: Sequence[ByteBlock]) -> list[Region]:
    """Return the numbers soon after the length of each block that always repeat it."""
    lengths = [length for block in chain for length in block.lengths]
    values = [each.last - each.first + each.add for each in lengths]
    for gap in range(min(*(each.last - each.stop for each in lengths), _MAX_HEAD_BYTES + 1)):
        found = []
        for length, value in zip(lengths, values, strict=True):
            read = length.code.read(data, length.stop + gap)
            if read is None or read[0] != value or read[1] > length.last:
                break
            stop, end = read[1], length.last
            found.append(
                Region(length.stop + gap, stop, length.code, stop, end, value - end + stop)
            )
        if len(found) == len(chain):
            return found
    return []


def _checksums(data: bytes, chain: Sequence[ByteBlock]) -> list[Region]:
    """Return the checksums at the ends of blocks, or after their lengths, if all are right."""
    orders = {2: (Code.U16_BIG, Code.U16_LITTLE), 4: (Code.U32_BIG, Code.U32_LITTLE), 1: (Code.U8,)}
    for kind, width, place in product(range(len(CHECKSUMS)), (4, 2, 1), range(4)):
        for code in orders[width]:
            regions = []
            for begin, end, (length,), _ in chain:
                at = end - width if place < 3 else length.stop
                first = (begin, length.start, length.stop, length.stop + width)[place]
                stop = end - width if place < 3 else end
                if not (first <= stop and at + width <= end):
                    break
                want = CHECKSUMS[kind](data[first:stop]) % 256**width
                if code.read(data, at) != (want, at + width):
                    break
                regions.append(Region(at, at + width, code, first, stop, 0, kind))
            if len(regions) == len(chain):
                return regions
    return []
