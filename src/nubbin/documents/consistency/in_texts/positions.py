"""Lines whose positions are in other lines, and lines that are counted or numbered."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from nubbin.documents.consistency.in_texts.text_lines import spans_of_lines
from nubbin.documents.consistency.items import Hypothesis, Items, Number
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: Fewer lines may match some number by chance.
_MIN_LINES = 8
#: The count of the lines is on one of the last lines, and may differ from their number by this.
_MAX_LINES_OF_TAIL = 2
_MAX_SURPLUS = 2
_KEYWORD = pattern(rb"[ \t]*([A-Za-z_]\w*)[ \t]")
_WHOLE = pattern(rb"(?<![\w.-])\d{1,8}(?![\w.])")
_POSITIONS = pattern(rb"(?:[ \t]+\d{1,8}(?:/\d{0,8})*)+[ \t\r]*\Z")
_POSITION = pattern(rb"([ \t/])(\d{0,8})")
_NUMBERED = pattern(rb"^[ \t]*(\d{1,8})(?![\w.:])", re.MULTILINE)


def positions(data: bytes) -> Iterator[Hypothesis]:
    """Yield lines with positions in others, lines counted at the end, and numbered parts."""
    lines = spans_of_lines(data)
    yield from _pointed_into(data, lines)
    yield from _counted_last(data, lines)
    yield from _numbered(data)


def _pointed_into(data: bytes, lines: Sequence[Span]) -> Iterator[Hypothesis]:
    """Yield lines with the same first word, if numbers in others are their positions.

    Such a number is never larger than the number of these lines, and comes near it.
    """
    alike: defaultdict[bytes, list[re.Match[bytes]]] = defaultdict(list)
    for span in lines:
        if line := _KEYWORD.match(data, *span):
            alike[line[1]].append(line)
    many = {word: found for word, found in alike.items() if len(found) >= _MIN_LINES}
    pointed: dict[bytes, tuple[Items, list[Number]]] = {}
    for word, found in many.items():
        for cells in _columns(data, found):
            base = min(1, *(value for _, value in cells))
            top = max(value for _, value in cells) - base + 1
            near = [
                (len(others), other)
                for other, others in many.items()
                if other != word and top <= len(others) <= 2 * top
            ]
            if near:
                other = min(near)[1]
                items = Items([[(each.start(), each.endpos)] for each in many[other]])
                items, numbers = pointed.setdefault(other, (items, []))
                numbers += (Number(*span, items, value - base, base) for span, value in cells)
    for items, numbers in pointed.values():
        yield Hypothesis(numbers, items)


def _columns(data: bytes, lines: Sequence[re.Match[bytes]]) -> Iterator[list[tuple[Span, int]]]:
    """Yield the numbers of lines that have only numbers after a word, with their spans.

    If slashes separate numbers, the first are one column, the second another, and so on.
    """
    found: defaultdict[int, list[tuple[Span, int]]] = defaultdict(list)
    for line in lines:
        after, stop = line.end(1), line.endpos
        if not _POSITIONS.match(data, after, stop):
            return
        slashes = 0
        for each in _POSITION.finditer(data, after, stop):
            slashes = slashes + 1 if each[1] == b"/" else 0
            if each[2]:
                found[slashes].append((each.span(2), int(each[2])))
    yield from (cells for cells in found.values() if len({value for _, value in cells}) > 2)


def _counted_last(data: bytes, lines: Sequence[Span]) -> Iterator[Hypothesis]:
    """Yield a number near the end that counts the lines before it, or differs by at most two."""
    for at in range(len(lines) - 1, max(len(lines) - 1 - _MAX_LINES_OF_TAIL, _MIN_LINES), -1):
        for number in _WHOLE.finditer(data, *lines[at]):
            surplus = int(number[0]) - at
            if abs(surplus) <= _MAX_SURPLUS:
                items = Items([[span] for span in lines[:at]])
                yield Hypothesis([Number(*number.span(), items, None, surplus)], items)
                return


def _numbered(data: bytes) -> Iterator[Hypothesis]:
    """Yield parts that begin with their own position, if half of the first numbers of lines do."""
    found = [(each, int(each[1])) for each in _NUMBERED.finditer(data)]
    heads: list[tuple[re.Match[bytes], int]] = []
    for each, value in found:
        if value == (heads[-1][1] + 1 if heads else min(value, 1)):
            heads.append((each, value))
    if len(heads) < _MIN_LINES or 2 * len(heads) < len(found):
        return
    starts = [each.start() for each, _ in heads]
    items = Items([[span] for span in zip(starts, [*starts[1:], len(data)], strict=True)])
    base = heads[0][1]
    yield Hypothesis(
        [Number(*each.span(1), items, value - base, base) for each, value in heads], items
    )
