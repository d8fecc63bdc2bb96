"""Columns of whole numbers in the lines of a text, which may be positions of something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.blocks import Block
from nubbin.documents.consistency.in_texts.text_lines import Word
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.splice import Span

Cell = tuple[Span, int]


class Column(NamedTuple):
    """Whole numbers that mean the same: where they stand, and their values."""

    items: Items  # what they are a column of
    cells: list[Cell]
    code: Code = Code.DECIMAL

    @property
    def values(self) -> list[int]:
        """The numbers."""
        return [value for _, value in self.cells]

    def refers_to(self, items: Items, base: int) -> Iterator[Number]:
        """Yield the numbers as the positions of items, the first of which is `base`."""
        for span, value in self.cells:
            if 0 <= value - base < len(items.places):
                yield Number(*span, items, value - base, base, self.code)


def columns_of(block: Block) -> Iterator[Column]:
    """Yield the columns of whole numbers of a block.

    All of them are one if lines differ in length, or end with zeros among negative numbers.
    """
    rows = [line.words for line in block.lines]
    if len(rows) == 1:
        rows = [[word] for word in rows[0]]
    elif rows and block.inside:
        widths = {line.width for line in block.lines} - {0}
        width = max(width or 0 for width in widths)
        rows = [row[n : n + width] for row in rows for n in range(1, len(row), width)]
    elif rows and all(word.is_whole for row in rows for word in row) and _is_flat(rows):
        rows = [[word] for row in rows for word in row if int(word.text)]
    if len({len(row) for row in rows}) != 1:
        return
    code = code_of(rows)
    for column in zip(*rows, strict=True):
        for words in _numbers(column):
            yield Column(block.items, [_cell(word) for word in words], code)


def code_of(rows: Sequence[Sequence[Word]]) -> Code:
    """Return how numbers are written: padded, if words of different length end below each other."""
    if len({len(row) for row in rows}) != 1:
        return Code.DECIMAL
    for before, column in pairwise(zip(*rows, strict=True)):
        widest = max(len(word.text) for word in column)
        places = zip(before, column, rows, strict=True)
        if len({(row[-1].stop - word.stop) for word, row in zip(column, rows, strict=True)}) == 1:
            narrow = [(a, b) for a, b, _ in places if len(b.text) < widest]
            if narrow and all(b.start - a.stop > 1 for a, b in narrow):
                return Code.PADDED
    return Code.DECIMAL


def _is_flat(rows: Sequence[Sequence[Word]]) -> bool:
    has_negative = any(word.number < 0 for row in rows for word in row)
    return len({len(row) for row in rows}) > 1 or (
        has_negative and all(row[-1].text == b"0" for row in rows)
    )


def _numbers(column: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the whole numbers of words, first, second, ..., if nothing else differs in them."""
    if all(word.is_whole for word in column):
        yield column
    elif len({word.shape for word in column}) == 1:
        yield from zip(*(word.numbers() for word in column), strict=True)


def _cell(word: Word) -> Cell:
    """Return where a whole number stands, its sign left out, and its value."""
    start = word.start + word.text.startswith(b"-")
    return (start, word.stop), abs(int(word.text))
