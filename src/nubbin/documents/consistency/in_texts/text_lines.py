"""The lines of a text, their words, and several ways in which lines may look alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

_LINE = pattern(rb"[^\n]*\S[^\n]*")
_WORD = pattern(rb'"[^"\n]*"[,;]?|\S+')
_WHOLE = pattern(rb"-?\d{1,9}\Z")
_NUMERIC = pattern(rb"[-+]?(?:\.?\d|(?:inf|nan)(?!\w))", re.IGNORECASE)
_NUMBER = pattern(rb"(?<![\w.+%@#!$&~^-])\d{1,9}(?![\w.])")
#: A number that may be a count: by itself, or after a mark that assigns it to a name.
_COUNT = pattern(rb"(?:(?<![^\s=:\"'])|(?<=\w\.\.))\d{1,9}(?![^\s;,\"'/>)])")
_NAME = pattern(rb"[A-Za-z_.]")
_MARKS = b"\"',;"
_DIGITS = pattern(rb"\d{1,9}")  # no more than a number has, so a shape has a 0 for each number


def counts_in(data: bytes, span: Span) -> list[Word]:
    """Return the whole numbers between two offsets that may be counts."""
    return [Word(*each.span(), each[0]) for each in _COUNT.finditer(data, *span)]


class Word(NamedTuple):
    """A word of a text, or a number in it, and its span."""

    start: int
    stop: int
    text: bytes

    @property
    def span(self) -> Span:
        """Its span."""
        return self.start, self.stop

    @property
    def is_numeric(self) -> bool:
        """Whether it begins like a number."""
        return _NUMERIC.match(self.text) is not None

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number, with or without a minus."""
        return _WHOLE.match(self.text) is not None

    @property
    def number(self) -> int:
        """The whole number that it is; -1 if it cannot be a count."""
        return int(self.text) if self.is_whole and not self.text.startswith(b"-") else -1

    @property
    def shape(self) -> bytes:
        """The word with a 0 for each number."""
        return _DIGITS.sub(b"0", self.text)

    def numbers(self) -> list[Word]:
        """Return the whole numbers in the word, which other marks may surround."""
        found = _NUMBER.finditer(self.text)
        return [Word(self.start + each.start(), self.start + each.end(), each[0]) for each in found]


class Line(NamedTuple):
    """The words of a line that is not blank, and its span without white space around it."""

    words: list[Word]
    span: Span

    @classmethod
    def read(cls, data: bytes, span: Span) -> Line:
        """Return the line between two offsets.

        If it contains only whole numbers and marks, the numbers are its words.
        """
        words = [Word(*word.span(), word[0]) for word in _WORD.finditer(data, *span)]
        around = words[0].start, words[-1].stop
        if not all(word.is_whole for word in words) and not _NAME.search(data, *span):
            numbers = [number for word in words for number in word.numbers()]
            words = numbers if len(numbers) > 1 else words
        return cls(words, around)

    @property
    def width(self) -> int | None:
        """How many words are one item, if the first word counts the items after it.

        0 if it says that there are none; None if it does not count them.
        """
        count, others = self.words[0].number, len(self.words) - 1
        if count == 0 == others:
            return 0
        return others // count if count > 0 and others and others % count == 0 else None

    @property
    def row(self) -> Span:
        """The span of its last word, without marks around it."""
        word = self.words[-1]
        text = word.text.rstrip(_MARKS)
        return word.start + len(text) - len(text.lstrip(_MARKS)), word.start + len(text)

    # -- what it looks like ------------------------------------------------------------

    def by_keyword(self) -> Hashable:
        """Return the number of words, and the first one unless it is a number."""
        first = self.words[0]
        return len(self.words), not first.is_numeric and first.shape

    def by_columns(self) -> Hashable:
        """Return which of the words are numbers."""
        return tuple(word.is_numeric for word in self.words)

    def by_count(self) -> Hashable:
        """Return whether the first word counts the others; if not, like `by_keyword`."""
        return (self.width == 1 and len(self.words) > 1) or self.by_keyword()

    def by_length(self) -> Hashable:
        """Return the number of words."""
        return len(self.words)

    def by_row(self) -> Hashable:
        """Return the number of words, and the length of the last one."""
        start, stop = self.row
        return len(self.words), stop - start


LOOKS: tuple[Callable[[Line], Hashable], ...] = (
    Line.by_keyword,
    Line.by_columns,
    Line.by_count,
    Line.by_row,
    Line.by_length,
)


def width_of(lines: Sequence[Line]) -> int:
    """Return how many words are one item that the first word of each line counts; 0 if none."""
    widths = {line.width for line in lines}
    return max(width or 0 for width in widths) if len(widths - {0}) == 1 else 0


def code_of(lines: Sequence[Line]) -> Code:
    """Return how numbers are written: padded, if words of different length are aligned right."""
    rows = [line.words for line in lines]
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


class Text:
    """The lines of a text that are not blank, each read when it is needed."""

    def __init__(self, data: bytes):
        self.data = data
        self.spans = spans = [line.span() for line in _LINE.finditer(data)]
        self.line = cache(lambda at: Line.read(data, spans[at]))

    def lines(self, start: int, stop: int) -> list[Line]:
        """Return the lines from one number up to another."""
        return [self.line(at) for at in range(start, stop)]

    @cached_property
    def begun(self) -> dict[bytes, list[int]]:
        """The numbers of the lines that begin with each word that is no number, in order."""
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, span in enumerate(self.spans):
            word = self.data[slice(*span)].split(None, 1)[0]
            if not _NUMERIC.match(word):
                found[word].append(at)
        return found
