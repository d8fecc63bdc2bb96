"""Columns of whole numbers in the lines of a text, which may be positions of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.blocks import Block
from nubbin.documents.consistency.in_texts.text_lines import Word, width_of
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.splice import Span

Cell = tuple[Span, int]


class Scale(NamedTuple):
    """How the positions of items are written: as `base` for the first one, `base + step`, ...

    A number less than `step` may be added, with another meaning.
    """

    base: int
    step: int = 1

    def positions(self, values: Sequence[int]) -> list[int]:
        """Return the positions that the values are, without values below `base`."""
        return [(value - self.base) // self.step for value in values if value >= self.base]


class Column(NamedTuple):
    """Whole numbers with the same meaning: their spans, and their values."""

    items: Items  # the list that they are a column of
    cells: list[Cell]
    code: Code = Code.DECIMAL

    @property
    def values(self) -> list[int]:
        """The values of the cells."""
        return [value for _, value in self.cells]

    def refers_to(self, items: Items, scale: Scale) -> Iterator[Number]:
        """Yield the numbers that are positions of items."""
        for span, value in self.cells:
            position, rest = divmod(value - scale.base, scale.step)
            if 0 <= position < len(items.places):
                add = scale.base + rest
                yield Number(*span, items, position, add, self.code, times=scale.step)


def columns_of(block: Block) -> Iterator[Column]:
    """Yield the columns of whole numbers of a block.

    All of them are one if lines differ in length, or end with zeros among negative numbers.
    """
    rows = [line.words for line in block.lines]
    if len(rows) == 1:
        rows = [[word] for word in rows[0]]
    elif rows and block.inside and (width := width_of(block.lines)):
        rows = [row[n : n + width] for row in rows for n in range(1, len(row), width)]
    elif rows and all(word.is_whole for row in rows for word in row) and _is_flat(rows):
        rows = [[word] for row in rows for word in row if int(word.text)]
    if len({len(row) for row in rows}) != 1:
        yield from _numberings(block.items, rows)
        return
    code = code_of(rows)
    for column in zip(*rows, strict=True):
        for words in _numbers(column):
            yield Column(block.items, [_cell(word) for word in words], code)


def _numberings(items: Items, rows: Sequence[Sequence[Word]]) -> Iterator[Column]:
    """Yield the positions of lines of different length, if each line contains its own."""
    for base in (0, 1):
        own = [[word for word in row if word.number == n] for n, row in enumerate(rows, base)]
        if rows and all(own):
            yield Column(items, [_cell(words[0]) for words in own])


def code_of(rows: Sequence[Sequence[Word]]) -> Code:
    """Return how numbers are written: padded, if words of different length are aligned right."""
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


def progressions(columns: Sequence[Column]) -> Iterator[tuple[Scale, list[Column]]]:
    """Yield columns that number the items beside them: each rises by one step.

    If one list continues the numbers of another, both are yielded as one.
    """
    found: list[tuple[Scale, list[Column]]] = []
    for column in columns:
        values = column.values
        if len(values) != len(column.items.places):
            continue
        before = [each for each in found if each[1][-1].values[-1] + each[0].step == values[0]]
        step = values[1] - values[0] if len(values) > 1 else before[-1][0].step if before else 1
        if step < 1 or values != list(range(values[0], values[-1] + 1, step)):
            continue
        goes_on = before[-1][1] if before and before[-1][0].step == step else []
        if goes_on and column.items not in [each.items for each in goes_on]:
            goes_on.append(column)
        elif values[0] in (0, 1, step):
            found.append((Scale(values[0], step), [column]))
    yield from found


def _is_flat(rows: Sequence[Sequence[Word]]) -> bool:
    has_negative = any(word.number < 0 for row in rows for word in row)
    return len({len(row) for row in rows}) > 1 or (
        has_negative and all(row[-1].text == b"0" for row in rows)
    )


def _numbers(column: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the first whole numbers of words, the second ones, ..., if nothing else differs."""
    if all(word.is_whole for word in column):
        yield column
    elif len({word.shape for word in column}) == 1:
        yield from zip(*(word.numbers() for word in column), strict=True)


def _cell(word: Word) -> Cell:
    """Return the span of a whole number without its sign, and its value without sign."""
    start = word.start + word.text.startswith(b"-")
    return (start, word.stop), abs(int(word.text))
