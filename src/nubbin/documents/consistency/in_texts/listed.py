"""A list of a text, the numbers that count it, and columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.text_lines import Line, Row, Word, width
from nubbin.documents.consistency.items import Items, Kind, Number
from nubbin.documents.splice import Span

#: Fewer items than this often match some number by chance.
MIN_ITEMS = 4
#: From this length on, a list may look as it likes, and a number may count several of them.
MIN_ANY = 10
#: Numbers come in groups of one, two, three or four.
_MANY = range(1, 5)


class Scale(NamedTuple):
    """How the positions of items are written: as `base` for the first one, `base + step`, ...

    A number less than `step` may be added, with another meaning.
    """

    base: int
    step: int = 1


@dataclass(eq=False)
class Listed:
    """A list of a text, and the numbers that follow from it, none if nothing counts it."""

    items: Items
    rows: Sequence[Row]  # their columns may be positions
    numbers: list[Number]
    pairs: Sequence[tuple[Items, Items]] = ()
    scale: Scale | None = None  # of the positions in it, if there are any

    @classmethod
    def of(
        cls,
        spans: Iterable[Span],
        rows: Sequence[Row] = (),
        head: Word | None = None,
        inside: Iterable[Number] = (),
    ) -> Listed:
        """Return the list of some spans, which a head may count."""
        items = Items.of(spans)
        counts = [head.counts(items, code=code_of(rows))] if head else []
        return cls(items, rows, [*counts, *inside])

    @classmethod
    def of_lines(cls, lines: Sequence[Line], head: Word | None = None) -> Listed:
        """Return lines as a list, with the counts in them if a head counts it."""
        rows = [line.words for line in lines]
        return cls.of((line.span for line in lines), rows, head, _inside(rows) if head else ())

    def across(self, heads: Iterable[Word]) -> Iterator[Number]:
        """Yield the numbers of heads before counted lines that count their columns.

        These are all words, or the bytes of the last one. Also yields what counts all words.
        """
        sizes = {len(row) for row in self.rows}
        last = [row[-1].bare for row in self.rows]
        depths = {stop - start for start, stop in last}
        every = [word for row in self.rows for word in row]
        for head in heads:
            if not every or not self.numbers or head.start > every[0].start:
                continue
            step, rest = divmod(max(sizes), head.number)
            if len(sizes) == 1 and not rest and step in _MANY:
                starts = range(0, max(sizes), step)
                cells = [[span_of(row[at : at + step]) for row in self.rows] for at in starts]
                yield head.counts(Items(cells))
            elif depths == {head.number}:
                bytes_of = [[(at + n, at + n + 1) for at, _ in last] for n in range(head.number)]
                yield head.counts(Items(bytes_of, [Kind.CELL] * head.number))
            elif head.number == len(every) > len(self.rows):
                # A word is not removed by itself.
                yield head.counts(Items.of((word.span for word in every), Kind.NAME))


def span_of(row: Row) -> Span:
    """Return the span from the first to the last of some words."""
    return row[0].start, row[-1].stop


def width_of(rows: Sequence[Row]) -> int:
    """Return how many words are one item that the first word of each row counts; 0 if none."""
    widths = {width(row) for row in rows}
    return max(each or 0 for each in widths) if len(widths - {0}) == 1 else 0


def _inside(rows: Sequence[Row]) -> Iterator[Number]:
    """Yield the first numbers of rows, if all count the words after them, in ones, twos, ..."""
    if size := width_of(rows):
        for row in rows:
            parts = [span_of(row[n : n + size]) for n in range(1, len(row), size)]
            yield row[0].counts(Items.of(parts))


def code_of(rows: Sequence[Row]) -> Code:
    """Return how numbers are written: padded, if words of different length are aligned right."""
    if len(rows) == 1 or len({len(row) for row in rows}) != 1:
        return Code.DECIMAL
    for before, column in pairwise(zip(*rows, strict=True)):
        widest = max(len(word.text) for word in column)
        pairs = zip(before, column, strict=True)
        gaps = [b.start - a.stop for a, b in pairs if len(b.text) < widest]
        ends = {row[-1].stop - word.stop for word, row in zip(column, rows, strict=True)}
        if len(ends) == 1 and gaps and min(gaps) > 1:
            return Code.PADDED
    return Code.DECIMAL


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
