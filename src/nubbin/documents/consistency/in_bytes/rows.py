"""Rows of blocks that fill a part of a file: each begins where the one before it ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from nubbin.documents.consistency.regions import Region

#: Longer rows are not read.
MAX_BLOCKS = 20_000


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
