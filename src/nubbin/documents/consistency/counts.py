"""Numbers of a text that count its parts, and those that point into what is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nubbin.documents.consistency.blocks import MIN_ITEMS, Block, Text, Word
from nubbin.documents.consistency.numbers import Hypothesis, Items, Kind, Number
from nubbin.documents.splice import Span


class _Column(NamedTuple):
    """Whole numbers that mean the same: where they stand, and their values."""

    items: Items  # what they are a column of
    cells: list[tuple[Span, int]]

    @property
    def values(self) -> list[int]:
        return [value for _, value in self.cells]

    def refers_to(self, items: Items, base: int) -> Iterator[Number]:
        """Yield the numbers as the positions of items, the first of which is `base`."""
        for span, value in self.cells:
            if 0 <= value - base < len(items.places):
                yield Number(*span, items, value - base, base)


def counts(data: bytes) -> list[Hypothesis]:
    """Return a hypothesis for each list that a number counts, with all that follows from it.

    That is columns of the position of each line, columns of positions of items, and names: 1 to N,
    or 0 to N - 1, with N in a head.
    """
    heads, blocks = Text(data).heads_and_blocks()
    found = {
        block.items: [Number(*block.head.span, block.items), *block.inside] for block in blocks
    }
    columns = [column for block in blocks for column in _columns(block)]
    bases: dict[Items, int] = {}
    others: list[_Column] = []
    for column in columns:
        base = column.values[0]
        if base in (0, 1) and column.values == list(range(base, base + len(column.items.places))):
            bases[column.items] = base
            found[column.items] += column.refers_to(column.items, base)
        else:
            others.append(column)
    columns = []
    smallest_first = sorted(found, key=lambda items: len(items.places))
    for column in others:
        # Into its own list last: that is rare.
        for items in sorted(smallest_first, key=lambda items: items is column.items):
            base = bases.get(items, 0 if 0 in column.values else 1)
            is_own = items is column.items and items not in bases
            size = len(items.places)
            if _points_into(column.values, base, size, 0.9 if is_own else 0.5):
                found[items] += column.refers_to(items, base)
                break
        else:
            columns.append(column)
    counting = {block.head for block in blocks}
    bounds = [word for word in heads if word not in counting]
    for bound in bounds:
        rest = [word.number for word in bounds if word is not bound]
        named = [each for each in columns if _are_names(each, bound, rest)]
        if any(_reaches(each, bound) for each in named):
            columns = [each for each in columns if each not in named]
            found[named[0].items] += _names(bound, named)
    return [Hypothesis(numbers, items) for items, numbers in found.items()]


def _columns(block: Block) -> Iterator[_Column]:
    """Yield the columns of whole numbers: all of them are one if lines differ in length."""
    rows = [line.words for line in block.lines]
    if len(rows) == 1:
        rows = [[word] for word in rows[0]]
    elif rows and block.inside:
        widths = {line.width for line in block.lines} - {0}
        width = max(width or 0 for width in widths)
        rows = [row[n : n + width] for row in rows for n in range(1, len(row), width)]
    elif all(word.is_whole for row in rows for word in row) and (
        len({len(row) for row in rows}) > 1 or any(word.number < 0 for row in rows for word in row)
    ):
        rows = [[word] for row in rows for word in row if int(word.text)]
    if len({len(row) for row in rows}) == 1:
        for column in zip(*rows, strict=True):
            if all(word.is_whole for word in column):
                yield _Column(block.items, [_cell(word) for word in column])


def _cell(word: Word) -> tuple[Span, int]:
    """Return where a whole number stands, its sign left out, and its value."""
    start = word.start + word.text.startswith(b"-")
    return (start, word.stop), abs(int(word.text))


def _points_into(values: Sequence[int], base: int, size: int, least: float) -> bool:
    """Tell whether numbers stay within a list, and use at least a fraction of it."""
    top = max(values) - base
    return min(values) >= base and least * size <= top < size and len(set(values)) > 2


def _reaches(column: _Column, bound: Word) -> bool:
    return max(column.values) == bound.number - (0 in column.values)


def _are_names(column: _Column, bound: Word, others: Sequence[int]) -> bool:
    """Tell whether numbers can be names, of which there are as many as a head before them says."""
    top = max(column.values)
    if bound.number < MIN_ITEMS or bound.start > column.cells[0][0][0]:
        return False
    return _reaches(column, bound) or (bound.number // 2 < top < bound.number and top not in others)


def _names(bound: Word, columns: Sequence[_Column]) -> Iterator[Number]:
    """Yield the count of names, and each name wherever it is written."""
    base = 0 if any(0 in column.values for column in columns) else 1
    items = Items([[] for _ in range(bound.number)], [Kind.NAME] * bound.number)
    yield Number(*bound.span, items)
    for number in (each for column in columns for each in column.refers_to(items, base)):
        assert number.of is not None
        items.places[number.of].append((number.start, number.stop))
        yield number
