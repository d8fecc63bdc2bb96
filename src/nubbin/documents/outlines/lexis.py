"""Lexis: the words, quoted texts and brackets of any text, in any language."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: A byte of a word: an ASCII letter, digit or underscore, or a byte of another character.
LETTER: Final = rb"[\w\x80-\xff]"
WORD: Final = pattern(LETTER + b"+")
#: A byte of a word that can be a name in some language, and such a word.
NAME_LETTER: Final = rb"[\w$\x80-\xff]"
NAME: Final = pattern(rb"[A-Za-z_$\x80-\xff]%b*" % NAME_LETTER)

#: A text in quotes, on one line. An apostrophe after a word (`don't`) opens none, unless a single
#: character is in quotes or the word is a prefix (`rb'a'`). An apostrophe before a word or a
#: parenthesis closes none, because `'a` and `'(a)` are words of Rust and Lisp.
QUOTED: Final = (
    rb"""\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)'|(?:(?<!%b)|(?<=\b[bfruBFRUL])|(?<=\b[bfrBFR]{2}))"""
    rb"""'(?:[^'\\\n]|\\.)*+'(?!\(|%b)"""
).replace(b"%b", LETTER)
STRING: Final = pattern(QUOTED, re.DOTALL)

_OPENING: Final = b"([{<"
_CLOSING: Final = b")]}>"
_OPENED_BY: Final = dict(zip(_CLOSING, _OPENING, strict=True))
_ANGLE: Final = ord("<")
#: What is escaped, an arrow, a text in quotes; or a mark.
_TOKEN: Final = pattern(rb"\\.|[-=]>|%b|[][(){}<>,;|\n]" % QUOTED, re.DOTALL)


class Level(NamedTuple):
    """The contents of brackets: bytes start..stop-1, in `depth` pairs, with marks of its own."""

    start: int
    stop: int
    depth: int
    marks: list[int]  # all but brackets with a partner


class Lexed:
    """A text, read once: its quoted texts, its marks, and which brackets are partners. Linear.

    `marks` are the offsets of brackets, commas, semicolons, bars and line ends that are neither
    escaped nor quoted, in order.
    """

    def __init__(self, data: bytes) -> None:
        self.data: Final = data
        tokens = (token.span() for token in _TOKEN.finditer(data))
        self.marks: Final = array("q", (start for start, stop in tokens if stop == start + 1))

    @cached_property
    def quoted(self) -> list[Span]:
        """The texts in quotes, with the quotes."""
        tokens = (token.span() for token in _TOKEN.finditer(self.data))
        return [span for span in tokens if span[1] > span[0] + 1 and self.data[span[0]] in b"\"'"]

    @cached_property
    def partners(self) -> dict[int, int]:
        """The offset of each bracket's partner, for brackets that have one.

        The partner of a closing bracket is the nearest bracket of its kind before it that is not in
        other brackets and has no partner. Brackets that open between the two are text. An angle
        bracket can be a comparison, so it has a partner only if nothing opens between.
        """
        partners: dict[int, int] = {}
        open_: list[int] = []
        waiting: Counter[int] = Counter()
        for at in self.marks:
            mark = self.data[at]
            if mark in _OPENING:
                open_.append(at)
                waiting[mark] += 1
            elif waiting[opening := _OPENED_BY.get(mark, 0)]:
                if opening == _ANGLE and self.data[open_[-1]] != _ANGLE:
                    continue
                kind = 0
                while kind != opening:
                    start = open_.pop()
                    kind = self.data[start]
                    waiting[kind] -= 1
                partners[start], partners[at] = at, start
        return partners

    def levels(self, opening: bytes = b"([{") -> list[Level]:
        """Return the contents of each pair of these brackets, inner pairs first; then the text."""
        levels, around = list[Level](), [Level(0, len(self.data), 0, [])]
        for at in self.marks:
            partner = self.partners.get(at)
            if partner is None:
                around[-1].marks.append(at)
            elif self.data[at] in opening:
                around.append(Level(at + 1, partner, len(around), []))
            elif self.data[partner] in opening:
                levels.append(around.pop())
        return levels + around


def words_of(data: bytes, pattern: re.Pattern[bytes] = NAME) -> set[bytes]:
    """Return all words; not by `findall`, in which Ctrl-C does not work."""
    return {word[0] for word in pattern.finditer(data)}


#: Caches the last texts, because passes take turns on one text.
lexed = lru_cache(maxsize=8)(Lexed)


def unbalanced(data: bytes) -> int:
    """Return the number of round, square and curly brackets that others of their kind lack.

    It judges every candidate, so it only counts: reading a text takes a hundred times as long.
    """
    return sum(abs(data.count(one) - data.count(other)) for one, other in _PAIRS)


_PAIRS: Final = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))


#: The largest distance from a reference to an end of the element, in bytes.
_MAX_ELEMENT: Final = 1 << 10


def element_around(data: bytes, span: Span) -> Span | None:
    """Return the span of the list element around a reference, with one of its commas.

    It is in a list if a comma or a bracket precedes it on the same line. None elsewhere.
    """
    begin = max(span[0] - _MAX_ELEMENT, 0)
    text = Lexed(data[begin : span[1] + _MAX_ELEMENT])
    start, stop = span[0] - begin, span[1] - begin
    level = next(each for each in text.levels(_OPENING) if each.start <= start <= stop <= each.stop)
    marks = [mark for mark in level.marks if text.data[mark] not in b";|"]
    before = max((mark for mark in marks if mark < start), default=level.start - 1)
    after = min((mark for mark in marks if mark >= stop), default=level.stop)
    if before < 0 or text.data[before] in b"\n" + _CLOSING or text.data[after:][:1] in _OPENING:
        return None  # it is not in a list, or the list has no end
    first, last = begin + before, begin + after
    return (
        (first, last) if data[first] == ord(",") else (first + 1, last + (data[last] == ord(",")))
    )
