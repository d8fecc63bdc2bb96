"""Lists in brackets, with numbers that count their elements or are positions of elements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from nubbin.documents.consistency.in_texts.text_lines import Word
from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: Shorter lists often match some number by chance.
_MIN_ELEMENTS = 8
_MIN_VALUES = 3
#: Numbers are tried as positions in at most this many lists.
_MAX_LISTS = 256
#: A text without marks, and the mark after it.
_TOKEN = pattern(rb'\s*+((?:[^\[\](){},:="]++|"(?:[^"\\\n]|\\.)*+"|")*+)([\[\](){},:=])')
_BEFORE_VALUES = b":=,[{"  # or nothing
_WHOLE = pattern(rb"-?\d{1,9}(?![\w.])")
#: The start of a list that is a value, as most programs have only subscripts.
_LIST = pattern(rb'(?:\A|[:=,[{])["\s]*\[')


#: The key before a value, and the number of brackets between them.
_Key = tuple[bytes, int]


@dataclass(eq=False)
class _Array:
    """A list in brackets: the key before it, and its elements.

    A list inside a list with a key has the same key, and one more bracket.
    """

    key: _Key
    around: _Array | None
    opening: bytes
    elements: list[Span] = field(default_factory=list)
    begins: int = -1  # the first byte of the current element

    def key_of(self, key: bytes) -> _Key:
        """Return the key of a value in the list, or after a key in an object."""
        return (key, 0) if self.opening == b"{" else (self.key[0], self.key[1] + 1)


#: A whole number by itself, and the list that contains it.
_Value = tuple[Word, _Array]


def arrays(data: bytes) -> Iterator[Hypothesis]:
    """Yield each list whose elements numbers count, or have as positions.

    Positions have one key, and are in other lists. They are never larger than the list is long, and
    come near it. Of several such lists, it is one with a similar name, then the shortest. Linear.
    """
    if not _LIST.search(data):
        return
    lists, values = _read(data)
    long = [each for each in lists if len(each.elements) >= _MIN_ELEMENTS and each.opening == b"["]
    numbers: defaultdict[_Array, list[Number]] = defaultdict(list)
    items = {each: Items.of(each.elements, Kind.ELEMENT) for each in long}
    counted = {(each.around, len(each.elements)): each for each in long}
    for (key, _), column in values.items() if long else ():
        for word, within in column:
            if each := counted.get((within, word.number)):
                numbers[each].append(word.counts(items[each]))
        if (into := _pointed_into(key, column, long[:_MAX_LISTS])) is not None:
            for word, _ in column:
                sign, of = word.text.startswith(b"-"), _position(word)
                numbers[into].append(Number(word.start + sign, word.stop, items[into], of, sign))
    for each, found in numbers.items():
        starts = [start for start, _ in each.elements]  # delete each with the comma after it
        yield Hypothesis(found, Items.of(pairwise(starts)))


def _position(word: Word) -> int:
    """Return the position that a number is: -1 is 0, -2 is 1. Less than 0 for -0, which is none."""
    return abs(int(word.text)) - word.text.startswith(b"-")


def _pointed_into(key: bytes, column: Sequence[_Value], lists: Sequence[_Array]) -> _Array | None:
    """Return the list in which numbers are positions, from 0 on; None if none is likely."""
    positions = {_position(word) for word, _ in column}
    top = max(positions) + 1
    fitting = [
        (not _alike(key, each.key[0]), len(each.elements), n)
        for n, each in enumerate(lists)
        if top <= len(each.elements) <= 2 * top and each is not column[0][1]
    ]
    is_likely = fitting and len(positions) >= _MIN_VALUES and min(positions) >= 0
    return lists[min(fitting)[-1]] if is_likely else None


def _alike(one: bytes, other: bytes) -> bool:
    return other.lower().startswith(one.lower().rstrip(b"s")[:-1] or b"-")


def _last_word(text: bytes) -> bytes:
    text = text.rstrip()
    is_quoted = text.endswith(b'"')
    return text[:-1].rpartition(b'"')[2] if is_quoted else text.split()[-1].strip(b"'")


def _read(data: bytes) -> tuple[list[_Array], dict[_Key, list[_Value]]]:
    """Return all lists, and by their keys the numbers that are elements or values."""
    here = _Array((b"", 0), None, b"")
    lists, values = [here], defaultdict[_Key, list[_Value]](list)
    key, before = b"", b""
    for found in _TOKEN.finditer(data):
        text, mark = found.groups()
        is_value = before in _BEFORE_VALUES
        if here.begins < 0 and (text or mark in b"[({"):
            here.begins = found.start(1)
        if text and is_value and here.opening in (b"[", b"{") and (whole := _WHOLE.match(text)):
            start = found.start(1)
            word = Word(start, start + whole.end(), whole[0])
            values[here.key_of(key)].append((word, here))
        if mark in b"[({":
            opening = mark if is_value and not text else b"("  # of a subscript
            here = _Array(here.key_of(key), here, opening)
            lists.append(here)
        elif mark in b":=":
            key = _last_word(text) if text else before
        else:
            if here.begins >= 0:
                here.elements.append((here.begins, found.start(2)))
            here.begins = -1
            here = here if mark == b"," else here.around or here
        before = mark
    return lists, values
