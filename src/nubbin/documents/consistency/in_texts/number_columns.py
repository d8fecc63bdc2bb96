"""Columns of whole numbers in the rows of a list, which may be positions of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.listed import Listed, Scale, code_of, span_of, width_of
from nubbin.documents.consistency.in_texts.text_lines import Row
from nubbin.documents.consistency.items import Items, Kind, Number


@dataclass(frozen=True, eq=False)
class Column:
    """Whole numbers with the same meaning, in the rows of a list."""

    listed: Listed
    words: Row
    code: Code = Code.DECIMAL

    @cached_property
    def values(self) -> list[int]:
        """The numbers without their signs."""
        return [abs(int(word.text)) for word in self.words]

    def refers_to(self, items: Items, scale: Scale) -> Iterator[Number]:
        """Yield the numbers that are positions of items."""
        (base, step), size = scale, len(items.places)
        for word, value in zip(self.words, self.values, strict=True):
            position, rest = divmod(value - base, step)
            if 0 <= position < size:
                start = word.start + word.text.startswith(b"-")
                yield Number(start, word.stop, items, position, base + rest, self.code, times=step)


def columns_of(listed: Listed) -> Iterator[Column]:
    """Yield the columns of whole numbers of a list.

    All of them but zeros are one if rows differ in length. Otherwise such rows may each contain
    their own position.
    """
    rows = listed.rows
    if len(rows) == 1:
        rows = [[word] for word in rows[0]]
    elif listed.numbers and (size := width_of(rows)):
        rows = [row[n : n + size] for row in rows for n in range(1, len(row), size)]
    elif len({len(row) for row in rows}) > 1 and all(word.is_whole for row in rows for word in row):
        rows = [[word] for row in rows for word in row if int(word.text)]
    if len({len(row) for row in rows}) != 1:
        for base in (0, 1):
            own = [[word for word in row if word.number == n] for n, row in enumerate(rows, base)]
            if rows and all(own):
                yield Column(listed, [words[0] for words in own])
        return
    code = code_of(listed.rows)
    for column in zip(*rows, strict=True):
        yield from (Column(listed, words, code) for words in _numbers(column))


def _numbers(column: Row) -> Iterator[Row]:
    """Yield the first whole numbers of words, the second ones, ..., if nothing else differs."""
    if all(word.is_whole for word in column):
        yield column
    elif len({word.shape for word in column}) == 1:
        yield from zip(*(word.numbers() for word in column), strict=True)


def progressions(columns: Sequence[Column]) -> list[tuple[Scale, list[Column]]]:
    """Return the columns that number the items beside them: each rises by one step.

    If one list continues the numbers of another, both are returned as one.
    """
    found: list[tuple[Scale, list[Column]]] = []
    for column in columns:
        values = column.values
        if len(values) != len(column.listed.items.places):
            continue
        before = [each for each in found if each[1][-1].values[-1] + each[0].step == values[0]]
        step = values[1] - values[0] if len(values) > 1 else before[-1][0].step if before else 1
        if step < 1 or any(after - one != step for one, after in pairwise(values)):
            continue
        goes_on = before[-1][1] if before and before[-1][0].step == step else []
        if goes_on and column.listed not in [each.listed for each in goes_on]:
            goes_on.append(column)
        elif values[0] in (0, 1, step):
            found.append((Scale(values[0], step), [column]))
    return found


def both_ways(listed: Listed) -> tuple[list[Number], tuple[Items, Items]] | None:
    """Return the positions in rows, if each row lists by position those rows that list it.

    Also returns the entries, and the one that is removed with each of them. No row may list
    itself, or another one twice. A number, such as the weight of an edge, may follow each position.
    """
    rows = listed.rows
    for step, base in product((1, 2), (1, 0)) if rows else ():
        cells = {
            (at, row[n].number - base): row[n : n + step]
            for at, row in enumerate(rows)
            for n in range(0, len(row), step)
        }
        forth = sorted((row, other) for row, other in cells if row < other)
        is_all = 2 * step * len(forth) == sum(map(len, rows))
        if forth and is_all and all((other, row) in cells for row, other in forth):
            column = Column(listed, [each[0] for each in cells.values()])
            one, other = (
                Items.of((span_of(cells[each]) for each in pairs), Kind.ELEMENT)
                for pairs in (forth, [(other, row) for row, other in forth])
            )
            return list(column.refers_to(listed.items, Scale(base))), (one, other)
    return None
