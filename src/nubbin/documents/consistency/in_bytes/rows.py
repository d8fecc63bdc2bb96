"""Rows of blocks that fill a part of a file: each begins where the one before it ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.regions import Region
from nubbin.documents.splice import Mask, Offsets

#: Longer rows are not read.
MAX_BLOCKS = 20_000
#: Of the first blocks of a long row, so many have contents: zeros are a row of empty blocks.
_MANY, _MIN_FULL_OF_MANY = 16, 4


class ByteBlock(NamedTuple):
    """A part of a file, with the lengths in it, and a kind that it shares with similar blocks."""

    start: int
    stop: int
    lengths: Sequence[Region] = ()
    kind: bytes = b""


#: Reads the block at an offset of a row between two offsets; None if there is none.
Read = Callable[[bytes, int, int, int], ByteBlock | None]


def row(data: bytes, begin: int, end: int, read: Read, most: int = MAX_BLOCKS) -> list[ByteBlock]:
    """Return the blocks that fill a range; [] if they do not, or are more than `most`."""
    at, blocks = begin, list[ByteBlock]()
    while at < end:
        block = read(data, at, begin, end)
        if block is None or block.stop > end or len(blocks) == most:
            return []
        blocks.append(block)
        at = block.stop
    return blocks


def promising(
    first: Offsets, step: Callable[[Offsets, Offsets], tuple[Offsets, Mask]], size: int
) -> Offsets:
    """Return which of many rows may fill a file up to its size, by their indices, in order.

    `first` is where each row begins. `step` takes the offsets of a block of some rows, and the
    indices of these rows. It returns where the next block begins, or 0 if there is none, and
    whether the block has contents. Only the first blocks are read, but those of all rows at once.
    """
    rows, at, full, found = np.arange(first.size), first, np.zeros_like(first), list[Offsets]()
    for _ in range(_MANY):
        at, has_contents = step(at, rows)
        found.append(rows[at >= size])
        goes_on = (at > 0) & (at < size)
        rows, at, full = rows[goes_on], at[goes_on], (full + has_contents)[goes_on]
    found.append(rows[full >= _MIN_FULL_OF_MANY])
    return np.sort(np.concatenate(found))


# -- evidence --------------------------------------------------------------------------


def surprises_of(data: bytes) -> list[float]:
    """Return the information of each byte of a file, in bits: the rarer it is, the more."""
    chances = np.bincount(np.frombuffer(data, dtype=np.uint8), minlength=256) + 1
    surprises: list[float] = (-np.log2(chances / chances.sum())).tolist()
    return surprises


def repeated(tags: bytes, surprises: Sequence[float] = (8.0,) * 256) -> float:
    """Return how unlikely it is by chance that the tags have so few values, in bits."""
    kinds = set(tags)
    bits = sum(surprises[tag] - math.log2(len(kinds)) for tag in tags)
    return bits - sum(surprises[kind] for kind in kinds)
