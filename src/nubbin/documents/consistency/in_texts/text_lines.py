"""The lines of a text, their words, and several ways in which lines may look alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import Items, Number
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

    @property
    def bare(self) -> Span:
        """Its span without marks around it."""
        text = self.text.rstrip(_MARKS)
        return self.start + len(text) - len(text.lstrip(_MARKS)), self.start + len(text)

    def counts(self, items: Items, times: int = 1, code: Code = Code.DECIMAL) -> Number:
        """Return it as the number of items, each counted `times` times."""
        return Number(self.start, self.stop, items, code=code, times=times)

    def numbers(self) -> list[Word]:
        """Return the whole numbers in the word, which other marks may surround."""
        found = _NUMBER.finditer(self.text)
        return [Word(self.start + each.start(), self.start + each.end(), each[0]) for each in found]


#: The words of a line, or of a part of it.
Row = Sequence[Word]


class Line:
    """A line that is not blank: its words, and its span without white space around it.

    If it contains only whole numbers and marks, the numbers are its words.
    """

    def __init__(self, data: bytes, span: Span):
        words = [Word(*word.span(), word[0]) for word in _WORD.finditer(data, *span)]
        self.span = words[0].start, words[-1].stop
        if not all(word.is_whole for word in words) and not _NAME.search(data, *span):
            numbers = [number for word in words for number in word.numbers()]
            words = numbers if len(numbers) > 1 else words
        self.words: Row = words

    @cached_property
    def looks(self) -> Sequence[Hashable]:
        """What lines that look alike have in common, in each of several ways.

        That the first word counts the others, or the number of words and the first one unless it is
        a number; which words are numbers; how many words, with and without the length of the last.
        """
        (first, *_, last), size = (self.words[0], *self.words), len(self.words)
        counts = size > 1 and width(self.words) == 1
        start, stop = last.bare
        return (
            counts or (size, not first.is_numeric and first.shape),
            tuple(word.is_numeric for word in self.words),
            (size, stop - start),
            size,
        )


def width(row: Row) -> int | None:
    """Return how many words are one item, if the first word counts the items after it.

    0 if it says that there are none; None if it does not count them.
    """
    count, others = row[0].number, len(row) - 1
    if count == 0 == others:
        return 0
    return others // count if count > 0 and others and others % count == 0 else None


class Text:
    """The lines of a text that are not blank, each read when it is needed."""

    def __init__(self, data: bytes):
        self.data = data
        self.spans = spans = [line.span() for line in _LINE.finditer(data)]
        self.line = cache(lambda at: Line(data, spans[at]))

    def lines(self, start: int, stop: int) -> list[Line]:
        """Return the lines from one number up to another."""
        return [self.line(at) for at in range(start, stop)]

    def counts(self, span: Span) -> list[Word]:
        """Return the whole numbers between two offsets that may be counts."""
        return [Word(*each.span(), each[0]) for each in _COUNT.finditer(self.data, *span)]

    @cached_property
    def begun(self) -> dict[bytes, list[int]]:
        """The numbers of the lines that begin with each word that is no number, in order."""
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, span in enumerate(self.spans):
            word = self.data[slice(*span)].split(None, 1)[0]
            if not _NUMERIC.match(word):
                found[word].append(at)
        return found
