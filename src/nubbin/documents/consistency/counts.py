"""Numbers of a text that count its lines or words, and those that point into what is counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from nubbin.documents.consistency.numbers import Found, Items, Kind, Number, Span

#: Fewer items than this are often as many as some number says.
_MIN_ITEMS = 4
#: From this many on, what reaches to the end of the text need not look alike.
_MIN_ANY = 10
#: As many lines that belong to no list may stand before a list.
_MAX_LINES_BETWEEN = 20
_MAX_WORDS_OF_HEAD = 8
_MAX_NAMES_OF_HEAD = 3
_MAX_HEADS = 64

_LINE = re.compile(rb"[^\n]*\S[^\n]*")
_WORD = re.compile(rb"\S+")
_WHOLE = re.compile(rb"-?(\d{1,9})\Z")
_NUMERIC = re.compile(rb"[-+]?\.?\d")
_DIGITS = re.compile(rb"\d+")


class _Word(NamedTuple):
    start: int
    stop: int
    text: bytes

    @property
    def span(self) -> Span:
        return self.start, self.stop

    @property
    def is_numeric(self) -> bool:
        return _NUMERIC.match(self.text) is not None

    @property
    def value(self) -> int | None:
        """The whole number that it is, if it is one without a sign."""
        return int(self.text) if _WHOLE.match(self.text) and self.text[0] != ord("-") else None


class _Line(NamedTuple):
    """The words of a line that is not blank."""

    words: list[_Word]

    @property
    def span(self) -> Span:
        return self.words[0].start, self.words[-1].stop

    @property
    def numbers(self) -> list[tuple[_Word, int]]:
        """The whole numbers in a line that can be a head: few words, and a name or two of them."""
        found = [(word, value) for word in self.words if (value := word.value) is not None]
        few = len(self.words) <= _MAX_WORDS_OF_HEAD
        return found if few and len(self.words) - len(found) <= _MAX_NAMES_OF_HEAD else []

    @property
    def counts_itself(self) -> bool:
        """Whether the first word is the number of the others."""
        return len(self.words) > 2 and self.words[0].value == len(self.words) - 1

    # -- what it looks like ------------------------------------------------------------

    def by_keyword(self) -> Hashable:
        """Return the number of words, and the first one unless it is a number."""
        first = self.words[0]
        return len(self.words), not first.is_numeric and _DIGITS.sub(b"0", first.text)

    def by_columns(self) -> Hashable:
        """Return which of the words are numbers."""
        return tuple(word.is_numeric for word in self.words)

    def by_count(self) -> Hashable:
        """Return whether it counts itself, and else as `by_keyword`."""
        return self.counts_itself or self.by_keyword()


_LOOKS: tuple[Callable[[_Line], Hashable], ...] = (
    _Line.by_keyword,
    _Line.by_columns,
    _Line.by_count,
)


class _Block(NamedTuple):
    """What a number counts: lines, or the words of one line."""

    head: int  # the number of the line that the count stands in
    count: _Word
    lines: list[_Line]
    items: Items


class _Column(NamedTuple):
    """Whole numbers that mean the same: where they stand, and their values."""

    block: _Block
    cells: list[tuple[Span, int]]

    @property
    def values(self) -> list[int]:
        return [value for _, value in self.cells]


def counts(data: bytes) -> Iterator[Found]:
    """Yield for each list that a number counts: what follows from it, and its middle item.

    A number counts what follows its line if that is exactly as long: lines up to the end of the
    text, or that look alike, unlike those around them, or the words of one line. Only the lines at
    the beginning and those after what is counted can have such numbers, so that most texts are
    hardly looked at. What is counted may have more of such numbers: lines that count their own
    words; columns with the position of each line, or with positions of items; and names, 1 to N or
    0 to N - 1, with N in a head.
    """
    text = _Text(data)
    heads, blocks = text.heads_and_blocks()
    columns = [column for block in blocks for column in _columns(block)]
    taken: set[int] = set()
    found = {id(block.items): [_count(block)] for block in blocks}
    bases: dict[int, int] = {}
    for block in blocks:
        found[id(block.items)] += _own_counts(block)
    for number, column in enumerate(columns):
        base = column.cells[0][1]
        items = column.block.items
        if base in (0, 1) and column.values == list(range(base, base + len(items.places))):
            taken.add(number)
            bases[id(items)] = base
            found[id(items)] += _references(column, items, base)
    sizes = sorted(blocks, key=lambda block: len(block.items.places))
    for number, column in enumerate(columns):
        for block in sizes if number not in taken else ():
            base = bases.get(id(block.items), 0 if 0 in column.values else 1)
            own = block is column.block and id(block.items) not in bases
            if not own and _points_into(column.values, base, len(block.items.places)):
                taken.add(number)
                found[id(block.items)] += _references(column, block.items, base)
                break
    counting = {block.count.start for block in blocks}
    bounds = [each for each in heads if each[0].start not in counting]
    for word, bound in bounds:
        names = [
            number
            for number, column in enumerate(columns)
            if number not in taken and word.start < column.cells[0][0][0]
            if _are_names(column.values, bound, {other for _, other in bounds})
        ]
        if any(max(columns[number].values) in (bound - 1, bound) for number in names):
            taken.update(names)
            of = columns[names[0]].block
            found[id(of.items)] += _names(word, bound, [columns[number] for number in names])
    for block in blocks:
        middle = block.items.places[len(block.items.places) // 2]
        yield found[id(block.items)], middle


class _Text:
    """The lines of a text that are not blank, read when they are needed."""

    def __init__(self, data: bytes):
        self._data = data
        self._spans = [line.span() for line in _LINE.finditer(data)]
        self._line = cache(self._read)

    def _read(self, at: int) -> _Line:
        words = _WORD.finditer(self._data, *self._spans[at])
        return _Line([_Word(*word.span(), word[0]) for word in words])

    def heads_and_blocks(self) -> tuple[list[tuple[_Word, int]], list[_Block]]:
        """Return the numbers of all heads, and what some of them count, in order."""
        heads: list[tuple[_Word, int]] = []
        blocks: list[_Block] = []
        waiting: list[tuple[int, _Word, int]] = []
        at = reached = 0
        while at < len(self._spans) and at - reached <= _MAX_LINES_BETWEEN:
            found = ((each, self._block(at, *each)) for each in waiting[-_MAX_HEADS:])
            head, block = next((each for each in found if each[1] is not None), (None, None))
            if block is None or head is None:
                numbers = self._line(at).numbers
                heads += numbers
                waiting += [(at, *number) for number in numbers]
                at += 1
            else:
                waiting.remove(head)
                blocks.append(block)
                at += len(block.lines)
                reached = at
        return heads, blocks

    def _block(self, at: int, head: int, word: _Word, value: int) -> _Block | None:
        """Return what begins at a line, if it is as long as the number in a head says."""
        stop = at + value
        first = self._line(at)
        if value < _MIN_ITEMS:
            return None
        if value == len(first.words) and all(each.is_numeric for each in first.words):
            return _Block(head, word, [first], Items([[each.span] for each in first.words]))
        to_the_end = stop == len(self._spans) and value >= _MIN_ANY
        if to_the_end or any(self._is_run(at, stop, head, look) for look in _LOOKS):
            lines = [self._line(each) for each in range(at, stop)]
            return _Block(head, word, lines, Items([[line.span] for line in lines]))
        return None

    def _is_run(self, at: int, stop: int, head: int, look: Callable[[_Line], Hashable]) -> bool:
        """Tell whether lines look alike, and those around them do not; a head may."""
        if stop > len(self._spans):
            return False
        alike = look(self._line(at))
        around = [each for each in (at - 1, stop) if head < each < len(self._spans)]
        return all(look(self._line(each)) == alike for each in range(at, stop)) and not any(
            look(self._line(each)) == alike for each in around
        )


def _columns(block: _Block) -> Iterator[_Column]:
    """Yield the columns of whole numbers: all of them are one if lines differ in length."""
    rows = [line.words for line in block.lines]
    if all(line.counts_itself for line in block.lines):
        rows = [[word] for words in rows for word in words[1:]]
    elif len(rows) == 1:
        rows = [[word] for word in rows[0]]
    elif all(_WHOLE.match(word.text) for words in rows for word in words) and (
        len({len(words) for words in rows}) > 1
        or any(word.value is None for words in rows for word in words)
    ):
        rows = [[word] for words in rows for word in words if int(word.text)]
    if rows and len({len(words) for words in rows}) == 1:
        for column in zip(*rows, strict=True):
            if all(_WHOLE.match(word.text) for word in column):
                yield _Column(block, [_cell(word) for word in column])


def _cell(word: _Word) -> tuple[Span, int]:
    """Return where a whole number stands, its sign left out, and its value."""
    start = word.start + word.text.startswith(b"-")
    return (start, word.stop), abs(int(word.text))


def _count(block: _Block) -> Number:
    return Number(*block.count.span, block.items)


def _own_counts(block: _Block) -> Iterator[Number]:
    """Yield the first numbers of lines that count their words, if all do."""
    if len(block.lines) > 1 and all(line.counts_itself for line in block.lines):
        for line in block.lines:
            first, *others = line.words
            yield Number(*first.span, Items([[word.span] for word in others]))


def _references(column: _Column, items: Items, base: int) -> Iterator[Number]:
    for span, value in column.cells:
        yield Number(*span, items, value - base, base)


def _points_into(values: Sequence[int], base: int, size: int) -> bool:
    """Tell whether numbers stay within a list, and come from all of it."""
    top = max(values) - base
    return min(values) >= base and size // 2 <= top < size and len(set(values)) > 2


def _are_names(values: Sequence[int], bound: int, bounds: set[int]) -> bool:
    """Tell whether numbers can be names, of which there are as many as a head says."""
    if bound < _MIN_ITEMS or len(set(values)) < _MIN_ITEMS:
        return False
    top = max(values)
    return top in (bound, bound - (0 in values)) or (bound // 2 < top < bound and top not in bounds)


def _names(word: _Word, bound: int, columns: Sequence[_Column]) -> Iterator[Number]:
    """Yield the count of names, and each name wherever it is written."""
    base = 0 if any(0 in column.values for column in columns) else 1
    items = Items([[] for _ in range(bound)], [Kind.NAME] * bound)
    yield Number(*word.span, items)
    for column in columns:
        for span, value in column.cells:
            if 0 <= value - base < bound:
                items.places[value - base].append(span)
                yield Number(*span, items, value - base, base)
