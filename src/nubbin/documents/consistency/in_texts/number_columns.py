"""Columns of whole numbers in the lines of a list, which may be positions of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.listed import Listed
from nubbin.documents.consistency.in_texts.text_lines import Word, code_of, width_of
from nubbin.documents.consistency.items import Items, Kind, Number
from nubbin.documents.splice import Span

Cell = tuple[Span, int]


class Scale(NamedTuple):
    """How the positions of items are written: as `base` for the first one, `base + step`, ...

    A number less than `step` may be added, with another meaning.
    """

    base: int
    step: int = 1


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
        (base, step), size = scale, len(items.places)
        for (start, stop), value in self.cells:
            position, rest = divmod(value - base, step)
            if 0 <= position < size:
                yield Number(start, stop, items, position, base + rest, self.code, times=step)


def columns_of(listed: Listed) -> Iterator[Column]:
    """Yield the columns of whole numbers of a list.

    All of them are one if lines differ in length, or end with zeros among negative numbers.
    """
    rows = [line.words for line in listed.lines]
    if len(rows) == 1:
        rows = [[word] for word in rows[0]]
    elif listed.numbers and (width := width_of(listed.lines)):
        rows = [row[n : n + width] for row in rows for n in range(1, len(row), width)]
    elif rows and all(word.is_whole for row in rows for word in row) and _is_flat(rows):
        rows = [[word] for row in rows for word in row if int(word.text)]
    if len({len(row) for row in rows}) != 1:
        yield from _numberings(listed.items, rows)
        return
    code = code_of(listed.lines)
    for column in zip(*rows, strict=True):
        for words in _numbers(column):
            yield Column(listed.items, [_cell(word) for word in words], code)


def _numberings(items: Items, rows: Sequence[Sequence[Word]]) -> Iterator[Column]:
    """Yield the positions of lines of different length, if each line contains its own."""
    for base in (0, 1):
        own = [[word for word in row if word.number == n] for n, row in enumerate(rows, base)]
        if rows and all(own):
            yield Column(items, [_cell(words[0]) for words in own])


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
        if step < 1 or any(after - one != step for one, after in pairwise(values)):
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


def both_ways(listed: Listed) -> tuple[list[Number], tuple[Items, Items]] | None:
    """Return the positions in lines, if each line lists by position those lines that list it.

    Also returns the entries, and the one that is removed with each of them. No line may list
    itself, or another one twice. A number, such as the weight of an edge, may follow each position.
    """
    rows = [line.words for line in listed.lines]
    for step, base in product((1, 2), (1, 0)) if rows else ():
        first = rows[0][0].number - base
        if not 0 <= first < len(rows) or base not in [each.number for each in rows[first]]:
            continue
        cells = {
            (at, row[n].number - base): row[n : n + step]
            for at, row in enumerate(rows)
            for n in range(0, len(row), step)
        }
        forth = sorted((row, other) for row, other in cells if row < other)
        is_all = 2 * step * len(forth) == sum(map(len, rows))
        if forth and is_all and all((other, row) in cells for row, other in forth):
            column = Column(listed.items, [_cell(each[0]) for each in cells.values()])
            kinds = [Kind.ELEMENT] * len(forth)
            spans = {pair: (each[0].start, each[-1].stop) for pair, each in cells.items()}
            back = Items([[spans[other, row]] for row, other in forth], kinds)
            pair = Items([[spans[each]] for each in forth], kinds), back
            return list(column.refers_to(listed.items, Scale(base))), pair
    return None
