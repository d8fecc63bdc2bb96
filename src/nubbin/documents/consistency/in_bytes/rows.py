"""Rows of blocks that fill a part of a file: each begins where the one before it ends.

Also tables whose entries point to parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from nubbin.documents.consistency.codes import WIDE, Code
from nubbin.documents.consistency.items import Items, Number, Region
from nubbin.documents.splice import Offsets, Span
from nubbin.pattern import pattern

#: Longer rows are not read.
MAX_BLOCKS = 20_000
#: Of the first blocks of a long row, some have contents: zeros are a row of empty blocks.
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


def entries(begin: int, size: int, count: int, parts: Mapping[Span, int]) -> Items:
    """Return the entries of a table, each with the parts of a file that a number in it points to.

    `parts` has where this number is.
    """
    places = [[(at, at + size)] for at in range(begin, begin + count * size, size)]
    for part, at in parts.items():
        places[(at - begin) // size].append(part)
    return Items(places)


def promising(
    numbers: tuple[Offsets, Offsets], settings: Offsets, beyond: int = 0
) -> list[tuple[int, ...]]:
    """Return the settings in which blocks may fill a file, or up to some bytes `beyond` it.

    A setting has five numbers: where the first block begins, how many bytes are before its length,
    whether this counts them and itself, how many more bytes there are, and the multiple at which
    blocks begin. Only the first blocks are read, but those of all settings at once.
    """
    values, stops = numbers
    rows, at, full, found = np.arange(len(settings)), settings[:, 0], 0, list[Offsets]()
    for _ in range(_MANY):
        begin, before, of_all, more, aligned = settings[rows].T
        length = np.minimum(at + before, values.size - 1)
        first = stops[length]
        last = np.where(of_all, at, first) + values[length]
        full, last = full + (last > first), last + more
        fits = (at + before < values.size) & (first > 0) & (first <= last)
        at = np.where(fits & (last <= values.size + beyond), last + (begin - last) % aligned, 0)
        found.append(rows[at >= values.size])
        goes_on = (at > 0) & (at < values.size)
        rows, at, full = rows[goes_on], at[goes_on], full[goes_on]
    found.append(rows[full >= _MIN_FULL_OF_MANY])
    return [*map(tuple, settings[np.sort(np.concatenate(found))].tolist())]


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


def evidence(rows: Sequence[Sequence[ByteBlock]], surprises: Sequence[float]) -> float:
    """Return the evidence for rows, in bits: N bits are a probability by chance of 2 to the -N.

    Each row ends where it must. The first bytes of blocks have few values, and the high bytes of
    wide lengths are zeros. `surprises` is the information of each byte: a zero among zeros has
    almost none.
    """
    bits = sum(math.log2((each[-1].stop - each[0].start) / len(each) + 1) for each in rows)
    blocks = [*chain.from_iterable(rows)]
    # Blocks that begin in many ways, for instance with a time, are no evidence against a row.
    bits += max(repeated(b"".join(block.kind[:1] for block in blocks), surprises), 0.0)
    lengths = [length for block in blocks for length in block.lengths]
    if lengths[0].code in WIDE:
        values = [each.end - each.begin + each.add for each in lengths]
        spare = lengths[0].stop - lengths[0].start + -max(values).bit_length() // 8
        bits += sum(value > 0 for value in values) * spare * surprises[0]
    return bits


_T = TypeVar("_T")


def likeliest(found: Iterable[tuple[float, _T]], least: float) -> _T | None:
    """Return that with the most evidence; of equals, the first. None if all have too little."""
    bits, best = max(found, key=lambda each: each[0], default=(0.0, None))
    return best if bits >= least else None


#: The longest head that is read.
MAX_HEAD_BYTES = 128
#: The codes of wide numbers, by the order of their bytes.
ORDERS = ((Code.U32_LITTLE, Code.U16_LITTLE), (Code.U32_BIG, Code.U16_BIG))
_TEXT = pattern(rb"[\n -~]{4,}")
_DECIMAL = pattern(rb"(?<![\w.])\d{1,9}(?![\w.])")


class HeadNumber(NamedTuple):
    """A number in the head of a file."""

    start: int
    stop: int
    code: Code
    value: int

    def counts(self, items: Items, times: int = 1) -> Number:
        """Return it as `times` the number of items, and perhaps more that cannot be removed."""
        more = self.value - times * len(items.places)
        return Number(self.start, self.stop, items, add=more, code=self.code, times=times)

    def measures(self, begin: int, last: int) -> Iterator[Region]:
        """Yield it as the length of a file, or of what follows the number or the head."""
        if self.value in (last, last - self.stop, last - begin):
            more = self.value - last + begin
            yield Region(self.start, self.stop, self.code, begin, last, more)


def head_numbers(data: bytes, stop: int, codes: Collection[Code]) -> list[HeadNumber]:
    """Return all readings of a head as numbers, in order.

    Where four characters in a row are printable, they are text, whose numbers are decimal.
    """
    texts = [text.span() for text in _TEXT.finditer(data, 0, stop)]
    found = [
        HeadNumber(*word.span(), Code.DECIMAL, int(word[0]))
        for text in texts
        for word in _DECIMAL.finditer(data, *text)
    ]
    for at in range(stop):
        for code in codes:
            value, end = code.read(data, at) or (-1, stop + 1)
            if end <= stop and not any(begin <= at and end <= until for begin, until in texts):
                found.append(HeadNumber(at, end, code, value))
    return sorted(found, key=lambda each: each.start)
