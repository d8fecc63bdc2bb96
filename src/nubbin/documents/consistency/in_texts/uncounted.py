"""Lists of a text in which no number comes before what it counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nubbin.documents.consistency.in_texts.listed import Listed
from nubbin.documents.consistency.in_texts.text_lines import Text, Word
from nubbin.documents.consistency.items import Items, Number
from nubbin.pattern import pattern

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
