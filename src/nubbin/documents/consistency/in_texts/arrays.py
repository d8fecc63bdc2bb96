"""Lists in brackets, with numbers that count their elements or are positions of elements."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise

from nubbin.documents.consistency.in_texts.join import Column
from nubbin.documents.consistency.in_texts.listed import FROM_0, Listed
from nubbin.documents.consistency.in_texts.text_lines import Word
from nubbin.documents.consistency.items import Hypothesis, Items, Kind
from nubbin.documents.outlines.lexis import lexed
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: Shorter lists often match some number by chance.
_MIN_ELEMENTS = 8
#: Numbers are tried as positions in at most this many lists, and reach this share of one.
_MAX_LISTS, _LEAST = 256, 0.5
#: What precedes a bracket or a comma: a key or none, and a whole number or nothing.
_VALUE = pattern(rb"(?:(.*)[:=])?\s*(-?\d{1,9})?\s*\Z", re.DOTALL)
#: The start of a list that is a value, as most programs have only subscripts.
_LIST = pattern(rb'(?:\A|[:=,[{])["\s]*\[')

#: The key before a value, and the number of brackets between them.
_Key = tuple[bytes, int]


@dataclass(eq=False)
class _Bracketed:
    """A list in brackets: the key before it, and its elements.

    A list inside a list with a key has the same key, and one more bracket.
    """

    key: _Key
    around: _Bracketed | None
    opening: bytes
    begin: int = 0  # after the opening bracket or the last comma
    elements: list[Span] = field(default_factory=list)

    def key_of(self, key: bytes) -> _Key:
        """Return the key of a value in the list, or after a key in an object."""
        return (key, 0) if self.opening == b"{" else (self.key[0], self.key[1] + 1)

    def end_element(self, data: bytes, at: int) -> None:
        """Add what is before a comma or a closing bracket, if anything is."""
        start = at - len(data[self.begin : at].lstrip())
        if start < at:
            self.elements.append((start, at))
        self.begin = at + 1


#: A whole number by itself, and the list that contains it.
_Value = tuple[Word, _Bracketed]


def arrays(data: bytes) -> Iterator[Hypothesis]:
    """Yield each list whose elements numbers count, or have as positions. Linear."""
    if not _LIST.search(data):
        return
    brackets, values = _read(data)
    long = [
        each for each in brackets if len(each.elements) >= _MIN_ELEMENTS and each.opening == b"["
    ]
    lists = {each: Listed(Items.of(each.elements, Kind.ELEMENT)) for each in long}
    counted = {(each.around, len(each.elements)): listed for each, listed in lists.items()}
    for (key, _), column in values.items() if long else ():
        for word, within in column:
            if each := counted.get((within, word.number)):
                each.numbers.append(word.counts(each.items))
        words = Column(lists.get(column[0][1], Listed(Items([]))), [word for word, _ in column])
        if into := _target(key, words, lists):
            into.numbers += words.refers_to(into.items, FROM_0)
    for array, each in lists.items():
        if each.numbers:
            starts = [start for start, _ in array.elements]  # delete each with the comma after it
            yield Hypothesis(each.numbers, Items.of(pairwise(starts)))


def _target(key: bytes, words: Column, lists: Mapping[_Bracketed, Listed]) -> Listed | None:
    """Return the other list in which the numbers after a key are positions.

    Of several such lists, it is one with a similar key, then the shortest.
    """
    fitting = [
        (each, listed)
        for each, listed in islice(lists.items(), _MAX_LISTS)
        if listed is not words.listed and words.points_into(listed.items, FROM_0, _LEAST)
    ]
    best = min(
        fitting,
        key=lambda pair: (not _alike(key, pair[0].key[0]), len(pair[0].elements)),
        default=None,
    )
    return best and best[1]


def _alike(one: bytes, other: bytes) -> bool:
    return other.lower().startswith(one.lower().rstrip(b"s")[:-1] or b"-")


def _last_word(text: bytes) -> bytes:
    text = text.rstrip()
    is_quoted = text.endswith(b'"')
    return text[:-1].rpartition(b'"')[2] if is_quoted else b"".join(text.split()[-1:]).strip(b"'")


def _read(data: bytes) -> tuple[list[_Bracketed], dict[_Key, list[_Value]]]:
    """Return all lists, and by their keys the numbers that are elements or values."""
    here = _Bracketed((b"", 0), None, b"")
    brackets, values = [here], defaultdict[_Key, list[_Value]](list)
    at, before = -1, b""
    for mark_at in lexed(data).marks:
        mark = data[mark_at : mark_at + 1]
        if mark not in b"[](){},":
            continue
        value = _VALUE.match(data, at + 1, mark_at)
        is_value = value is not None and (value[1] is not None or before in b",[{")
        at, before = mark_at, mark
        key = here.key_of(_last_word(value[1]) if value and value[1] else b"")
        if value and value[2] and is_value and here.opening in (b"[", b"{"):
            values[key].append((Word(*value.span(2), value[2]), here))
        if mark in b"[({":
            opening = mark if is_value and value and not value[2] else b"("  # of a subscript
            here = _Bracketed(key, here, opening, at + 1)
            brackets.append(here)
            continue
        here.end_element(data, at)
        if mark != b",":
            here = here.around or here
    return brackets, values
