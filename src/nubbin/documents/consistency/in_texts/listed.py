"""Lists of a text that no number before them needs to count, and what a list is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.text_lines import Line, Row, Text, Word, width
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: Fewer items than this often match some number by chance.
MIN_ITEMS = 4
#: A list of this length may have lines of any look, and a number may count several such lists.
MIN_LONG = 10


class Scale(NamedTuple):
    """How the positions of items are written: as `base` for the first one, `base + step`, ...

    A number less than `step` may be added, with another meaning. From 0 on, -1 is the position 0,
    -2 is 1, and so on; otherwise a sign has another meaning.
    """

    base: int
    step: int = 1


FROM_0 = Scale(0)


@dataclass(eq=False)
class Listed:
    """A list of a text, and the numbers that follow from it, none if nothing counts it."""

    items: Items
    rows: Sequence[Row] = ()  # their columns may be positions
    numbers: list[Number] = field(default_factory=list)
    pairs: Sequence[tuple[Items, Items]] = ()
    scale: Scale | None = None  # of the positions in it, if there are any
    bound: Word | None = None  # the number that counts it if it is a list of names

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


# -- counted from anywhere near ----------------------------------------------------------------

#: Shorter runs often match some number by chance.
_MIN_NUMBERS = 12
#: The most numbers in one item: a matrix of four by four.
_MAX_GROUP = 16
#: The largest distance between a run and its count.
_MAX_BETWEEN_BYTES = 1 << 10
_ONE = rb"[-+]?(?:\.?\d|inf|nan)[\w.+-]*"
_RUN = pattern(rb"(?<![\w.+-])%b(?:\s+%b){%d,}" % (_ONE, _ONE, _MIN_NUMBERS - 1))


def runs(text: Text, known: Sequence[Listed]) -> Iterator[Listed]:
    """Yield each run of numbers that a number counts, between it and the run before or after it.

    A run of 12 numbers may be counted as 12, as 4 groups of three, and as both. Runs that begin in
    known lists are left out. Linear.
    """
    data = text.data
    extents = [(each.items.places[0][0][0], each.items.places[-1][-1][1]) for each in known]
    found = [run.span() for run in _RUN.finditer(data)]
    found = [run for run in found if not any(a <= run[0] < b for a, b in extents)]
    edges = [(0, 0), *found, (len(data), len(data))]
    for (_, before), (start, stop), (after, _) in zip(edges, found, edges[2:], strict=False):
        heads = text.counts((max(before, start - _MAX_BETWEEN_BYTES), start))[::-1]
        heads += text.counts((stop, min(after, stop + _MAX_BETWEEN_BYTES)))
        words = Line(data, (start, stop)).words
        size, counting = _grouped(heads, len(words))
        if counting:
            rows = [words[at : at + size] for at in range(0, len(words), size)]
            items = Items.of(map(span_of, rows))
            numbers = [word.counts(items, times) for word, times in counting]
            yield Listed(items, rows, numbers)


def _grouped(heads: Sequence[Word], size: int) -> tuple[int, list[tuple[Word, int]]]:
    """Return how many numbers are one item, and the heads with how many times they count each.

    Of heads that contradict each other, the first is used.
    """
    group, taken = 1, list[tuple[Word, int]]()
    for head in heads:
        if head.number < MIN_ITEMS or size % head.number:
            continue
        each = size // head.number
        if each <= _MAX_GROUP and (not taken or each % group == 0 or group % each == 0):
            group = max(group, each)
            taken.append((head, each))
    return group, [(head, group // each) for head, each in taken]


#: Fewer lines may match some number by chance.
_MIN_LINES = 8
#: The count of the lines is on one of the last lines, and may differ from their number by this.
_MAX_LINES_OF_TAIL = 2
_MAX_SURPLUS = 2
_MAX_CHANCE = 0.5
_WHOLE = pattern(rb"(?<![\w.-])\d{1,8}(?![\w.])")
_KEYWORD = pattern(rb"[A-Za-z_]\w*\Z")
_POSITIONS = pattern(rb"\S+(?:[ \t]+\d{1,8}(?:/\d{0,8})*)+[ \t\r]*\Z")
_CELL = pattern(rb"(?<=[ \t])\d[\d/]*")
_NUMBERED = pattern(rb"[ \t]*(\d{1,8})(?![\w.:])")


def uncounted(text: Text) -> Iterator[Listed]:
    """Yield lines that begin alike, lines that the last ones count, and numbered parts.

    If lines have only numbers after a word, these are one column, unless they just count up.
    """
    for word, at in text.begun.items():
        if len(at) >= _MIN_LINES and _KEYWORD.match(word):
            spans = [text.spans[each] for each in at]
            have_positions = all(_POSITIONS.match(text.data, *span) for span in spans)
            found = (_CELL.finditer(text.data, *span) for span in spans if have_positions)
            cells = [Word(*each.span(), each[0]) for line in found for each in line]
            rises = all(one.number < other.number for one, other in pairwise(cells))
            yield Listed.of(spans, [] if rises else [cells])
    yield from _counted_last(text)
    yield from _numbered(text)


def _counted_last(text: Text) -> Iterator[Listed]:
    """Yield the lines before a number near the end that counts them, or differs by at most two.

    Of the numbers there, one may be so near the number of lines by chance, as in a line of a
    program: it is the likelier, the more numbers there are, and the fewer lines.
    """
    last = len(text.spans) - 1
    tail = range(last, max(last - _MAX_LINES_OF_TAIL, 0), -1)
    numbers = [(at, each) for at in tail for each in _WHOLE.finditer(text.data, *text.spans[at])]
    for at, number in numbers:
        chance = len(numbers) * (2 * _MAX_SURPLUS + 1) / at
        if abs(surplus := int(number[0]) - at) <= _MAX_SURPLUS and chance <= _MAX_CHANCE:
            items = Items.of(text.spans[:at])
            yield Listed(items, [], [Number(*number.span(), items, None, surplus)])
            return


def _numbered(text: Text) -> Iterator[Listed]:
    """Yield parts that begin with their own position, if half of the first numbers of lines do."""
    found = [each for span in text.spans if (each := _NUMBERED.match(text.data, *span))]
    own: list[tuple[int, Word]] = []
    for each in found:
        if int(each[1]) == (own[-1][1].number + 1 if own else min(int(each[1]), 1)):
            own.append((each.start(), Word(*each.span(1), each[1])))
    if len(own) >= _MIN_LINES and 2 * len(own) >= len(found):
        spans = pairwise([*(start for start, _ in own), len(text.data)])
        yield Listed.of(spans, [[word] for _, word in own])
