"""Chains of blocks in bytes, each of which says how long it is: chunks, packets, records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import Hypothesis, Items, Number
from nubbin.documents.consistency.regions import CHECKSUMS, Region
from nubbin.documents.splice import Span

_MIN_BLOCKS = 3
_MAX_BLOCKS = 20_000
#: A head of a file, or of a block, is at most as long.
_MAX_HEAD_BYTES = 64
#: Lengths by their code: at most how far from the beginning the first stands, and how many bytes of
#: a block they do not count. Of lengths of one byte, any bytes are a chain if enough is tried.
_WIDE = 48, range(-8, 25)
_NARROW = 16, range(4)
_SETTINGS = {
    Code.U32_LITTLE: _WIDE,
    Code.U32_BIG: _WIDE,
    Code.U16_LITTLE: _WIDE,
    Code.U16_BIG: _WIDE,
    Code.LEB128: _NARROW,
    Code.U8: _NARROW,
}
#: Less evidence is chance: some ten thousand settings are tried.
_MIN_EVIDENCE_BITS = 24


class _Length(NamedTuple):
    """The length of a block: where it stands, and what it says."""

    start: int
    stop: int
    value: int


class _Chain(NamedTuple):
    evidence: float  # bits
    code: Code
    lengths: list[_Length]
    before: int  # bytes of a block before its length
    last: int

    def blocks(self) -> list[Span]:
        """Return where each block begins and ends."""
        starts = [length.start - self.before for length in self.lengths]
        return list(zip(starts, [*starts[1:], self.last], strict=True))


def chain_in(data: bytes) -> Hypothesis | None:
    """Return the likeliest chain that ends where a file does; None if none is likely.

    With it come the lengths and the count in the head before it, and checksums of blocks.
    """
    best: _Chain | None = None
    surprises = surprises_of(data)
    for code, settings in _SETTINGS.items():
        for at, overhead in _promising(data, code, *settings):
            lengths, end = _walk(data, at, code, overhead)
            before = end - len(data)
            if len({length.value for length in lengths}) > 1 and before <= at:
                evidence = _evidence(data, lengths, before, surprises) - before - abs(overhead)
                if best is None or evidence > best.evidence:
                    best = _Chain(evidence, code, lengths, before, len(data))
    if best is None or best.evidence < _MIN_EVIDENCE_BITS:
        return None
    return Hypothesis(*_described(data, best), of_bytes=True)


def _promising(data: bytes, code: Code, starts: int, overheads: range) -> Iterator[tuple[int, int]]:
    """Yield where the first length may stand, with the overhead, if enough blocks fit."""
    settings = [*product(range(min(starts, len(data))), overheads)]
    values = code.at_all_offsets(data)
    if values is None:
        yield from settings
        return
    tried = np.array(settings, dtype=np.int64).reshape(-1, 2)
    at, width = tried[:, 0], len(data) - values.size + 1
    for _ in range(_MIN_BLOCKS - 1):
        tried, at = tried[at < values.size], at[at < values.size]
        following = at + width + values[at] + tried[:, 1]
        advances = (following >= at + width) & (following < len(data))
        tried, at = tried[advances], following[advances]
    yield from zip(*tried.T.tolist(), strict=True)


def _walk(data: bytes, at: int, code: Code, overhead: int) -> tuple[list[_Length], int]:
    """Return lengths, each as many bytes after the one before as that says, and where they end.

    No lengths if they do not end where the data does, or a head of a block later.
    """
    lengths: list[_Length] = []
    filled, size = 0, len(data)
    while at < size:
        number = code.read(data, at)
        if number is None:
            return [], size
        value, stop = number
        following = stop + value + overhead
        if following < stop or following > size + _MAX_HEAD_BYTES or len(lengths) == _MAX_BLOCKS:
            return [], size
        lengths.append(_Length(at, stop, value))
        filled += value > 0
        if len(lengths) == 16 and filled < 4:  # zeros, which are the length of anything
            return [], size
        at = following
    is_long = len(lengths) >= _MIN_BLOCKS and 2 * filled >= len(lengths)
    return (lengths, at) if is_long else ([], size)


def _evidence(
    data: bytes, lengths: Sequence[_Length], before: int, surprises: Sequence[float]
) -> float:
    """Return how unlikely a chain is by chance, in bits: of 2 to that many, one is as good.

    It ends where it must; the high bytes of its lengths are those of small numbers; and the first
    byte of a block, which often tells its kind, is one of a few. `surprises` is what each byte
    tells by itself, in bits: zeros among zeros tell nothing.
    """
    size = lengths[-1].stop - lengths[0].start
    bits = math.log2(size / len(lengths) + 1)
    needed = -(-max(each.value for each in lengths).bit_length() // 8)
    spare = lengths[0].stop - lengths[0].start - needed
    if spare > 0:
        bits += sum(each.value > 0 for each in lengths) * spare * surprises[0]
    if before:
        # Blocks that begin in many ways, with a time for one, tell nothing against a chain.
        tags = bytes(data[length.start - before] for length in lengths)
        bits += max(repeated(tags, surprises), 0.0)
    return bits


def surprises_of(data: bytes) -> list[float]:
    """Return what each byte tells by itself in a file, in bits: the less, the more often it is."""
    chances = np.bincount(np.frombuffer(data, dtype=np.uint8), minlength=256) + 1
    surprises: list[float] = (-np.log2(chances / chances.sum())).tolist()
    return surprises


def repeated(tags: bytes, surprises: Sequence[float]) -> float:
    """Return how unlikely it is by chance that so many bytes are of so few kinds, in bits."""
    kinds = set(tags)
    bits = sum(surprises[tag] - math.log2(len(kinds)) for tag in tags)
    return bits - sum(surprises[kind] for kind in kinds)


def _described(data: bytes, chain: _Chain) -> tuple[list[Number], Items, list[Region]]:
    """Return what counts the blocks of a chain, the blocks, and their lengths and checksums."""
    blocks = chain.blocks()
    items = Items([[block] for block in blocks])
    regions = [
        Region(start, stop, chain.code, stop, end, value - (end - stop))
        for (start, stop, value), (_, end) in zip(chain.lengths, blocks, strict=True)
    ]
    regions += _echoes(data, chain, blocks)
    regions += _checksums(data, chain, blocks)
    numbers: list[Number] = []
    begin, at = blocks[0][0], 0
    while at < begin:
        for code in _SETTINGS:
            value, stop = code.read(data, at) or (-1, begin + 1)
            if stop > begin:
                continue
            if value == len(blocks):
                numbers.append(Number(at, stop, items, code=code))
            elif code not in (Code.U8, Code.LEB128) and value in (
                chain.last,
                chain.last - stop,
                chain.last - begin,
            ):
                regions.append(
                    Region(at, stop, code, begin, chain.last, value - chain.last + begin)
                )
            else:
                continue
            at = stop - 1
            break
        at += 1
    return numbers, items, regions


def _echoes(data: bytes, chain: _Chain, blocks: Sequence[Span]) -> Iterator[Region]:
    """Yield numbers soon after the length of each block that always say the same as it."""
    least = min(end - length.stop for length, (_, end) in zip(chain.lengths, blocks, strict=True))
    if len({length.value for length in chain.lengths}) < 2:
        return
    for gap in range(least):
        read = [chain.code.read(data, length.stop + gap) for length in chain.lengths]
        if gap > _MAX_HEAD_BYTES:
            return
        if all(
            number is not None and number[0] == length.value and number[1] <= end
            for number, length, (_, end) in zip(read, chain.lengths, blocks, strict=True)
        ):
            for number, length, (_, end) in zip(read, chain.lengths, blocks, strict=True):
                if number is not None:
                    value, stop = number
                    yield Region(length.stop + gap, stop, chain.code, stop, end, value - end + stop)
            return


def _checksums(data: bytes, chain: _Chain, blocks: Sequence[Span]) -> list[Region]:
    """Return the checksums at the ends of blocks, or after their lengths, if all are right."""
    orders = {2: (Code.U16_BIG, Code.U16_LITTLE), 4: (Code.U32_BIG, Code.U32_LITTLE), 1: (Code.U8,)}
    for kind, width, place in product(range(len(CHECKSUMS)), (4, 2, 1), range(4)):
        for code in orders[width]:
            regions = []
            for length, (begin, end) in zip(chain.lengths, blocks, strict=True):
                at = end - width if place < 3 else length.stop
                first = (begin, length.start, length.stop, length.stop + width)[place]
                stop = end - width if place < 3 else end
                if not (first <= stop and at + width <= end):
                    break
                want = CHECKSUMS[kind](data[first:stop]) % 256**width
                if code.read(data, at) != (want, at + width):
                    break
                regions.append(Region(at, at + width, code, first, stop, 0, kind))
            if len(regions) == len(blocks):
                return regions
    return []
