"""A list of a text, and the numbers that count it, its columns, or the parts of its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
