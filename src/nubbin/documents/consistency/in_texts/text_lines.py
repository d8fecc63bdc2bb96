"""The lines of a text, and their words: what tells a head from what it counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from nubbin.documents.splice import Span

_LINE = re.compile(rb"[^\n]*\S[^\n]*")
_WORD = re.compile(rb'"[^"\n]*"[,;]?|\S+')
_WHOLE = re.compile(rb"-?\d{1,9}\Z")
_NUMERIC = re.compile(rb"[-+]?(?:\.?\d|inf|nan)", re.IGNORECASE)
_NUMBER = re.compile(rb"(?<![\w.+%@#!$&~^-])\d{1,9}(?![\w.])")
#: One that may count: by itself, or after a mark that gives it to a name.
_COUNT = re.compile(rb"(?:(?<![^\s=:\"'])|(?<=\w\.\.))\d{1,9}(?![^\s;,\"'/>)])")
_NAME = re.compile(rb"[A-Za-z_.]")
_MARKS = b"\"',;"
_DIGITS = re.compile(rb"\d{1,9}")  # as many as a number has, so that shapes tell how many there are


def counts_in(data: bytes, span: Span) -> list[Word]:
    """Return the whole numbers between two offsets that may count something."""
    return [Word(*each.span(), each[0]) for each in _COUNT.finditer(data, *span)]


def spans_of_lines(data: bytes) -> list[Span]:
    """Return where the lines stand that are not blank, without their ends."""
    return [line.span() for line in _LINE.finditer(data)]


class Word(NamedTuple):
    """A word of a text, or a number in it, and where it stands."""

    start: int
    stop: int
    text: bytes

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.start, self.stop

    @property
    def is_numeric(self) -> bool:
        """Whether it begins as a number does."""
        return _NUMERIC.match(self.text) is not None

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number, with a minus or without a sign."""
        return _WHOLE.match(self.text) is not None

    @property
    def number(self) -> int:
        """The whole number that it is; -1 if it cannot count anything."""
        return int(self.text) if self.is_whole and not self.text.startswith(b"-") else -1

    @property
    def shape(self) -> bytes:
        """It with its numbers made alike."""
        return _DIGITS.sub(b"0", self.text)

    def numbers(self) -> list[Word]:
        """Return the whole numbers in it, which other marks may stand around."""
        found = _NUMBER.finditer(self.text)
        return [Word(self.start + each.start(), self.start + each.end(), each[0]) for each in found]


class Line(NamedTuple):
    """The words of a line that is not blank, and where it stands, white space left out."""

    words: list[Word]
    span: Span

    @classmethod
    def read(cls, data: bytes, span: Span) -> Line:
        """Return the line between two offsets.

        If there is nothing in it but some whole numbers and marks, the numbers are its words.
        """
        words = [Word(*word.span(), word[0]) for word in _WORD.finditer(data, *span)]
        around = words[0].start, words[-1].stop
        if not all(word.is_whole for word in words) and not _NAME.search(data, *span):
            numbers = [number for word in words for number in word.numbers()]
            words = numbers if len(numbers) > 1 else words
        return cls(words, around)

    @property
    def width(self) -> int | None:
        """How many words are counted as one by the first word, if it counts the others.

        0 if it says that there are none.
        """
        count, others = self.words[0].number, len(self.words) - 1
        if count == 0 == others:
            return 0
        return others // count if count > 0 and others and others % count == 0 else None

    @property
    def row(self) -> Span:
        """Where its last word stands, without marks around it."""
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
        """Return whether it counts its words, and else as `by_keyword`."""
        return (self.width == 1 and len(self.words) > 1) or self.by_keyword()

    def by_length(self) -> Hashable:
        """Return the number of words, by which few lines can be told from others."""
        return len(self.words)

    def by_row(self) -> Hashable:
        """Return the number of words, and how long the last one is."""
        start, stop = self.row
        return len(self.words), stop - start


def width_of(lines: Sequence[Line]) -> int:
    """Return by how many words the first word of each of the lines counts the others; or 0."""
    widths = {line.width for line in lines}
    return max(width or 0 for width in widths) if len(widths - {0}) == 1 else 0


LOOKS: tuple[Callable[[Line], Hashable], ...] = (
    Line.by_keyword,
    Line.by_columns,
    Line.by_count,
    Line.by_row,
)
