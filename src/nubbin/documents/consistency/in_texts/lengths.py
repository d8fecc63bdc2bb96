"""Numbers of a text that are lengths in bytes: of strings, of chunks, of the rest.

Letters between such strings may be brackets.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import chain

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import Hypothesis, Items, Region
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: Fewer strings may be followed by the same bytes by chance.
_MIN_STRINGS = 6
#: Strings fill at least half of the text, and are followed by few different bytes.
_MAX_KINDS_AFTER = 6
#: A length, the bytes between it and the string, and its code.
_STRINGS = (
    (re.compile(rb"(\d{1,8}):"), Code.DECIMAL),
    (re.compile(rb"(?:^|\n)([0-9a-fA-F]{1,7})\r?\n"), Code.HEX),
    (re.compile(rb"(?:^|\n)(\d{1,8})\r?\n"), Code.DECIMAL),
)
#: The length of the rest is in the first lines, and not small.
_MAX_HEAD_BYTES = 1 << 12
_MIN_REST = 64
_ENDS_LINE = pattern(rb"(?<![\w.-])(\d{2,8})\r?\n")
_BLANK_LINE = pattern(rb"\n\r?\n")
_DIGITS = pattern(rb"\d")
_LINE_ENDS = pattern(rb"(?<=\n)|[\r\n]|\Z")
_LINE = pattern(rb"[^\n]*\S[^\n]*\n?")


def lengths(data: bytes) -> Iterator[Hypothesis]:
    """Yield possible lengths in bytes: of many strings, or of the text after a line. Linear."""
    yield from _of_rest(data)
    for strings, code in _STRINGS:
        if found := _strings(data, strings, code):
            yield found
            return


def _strings(data: bytes, pattern: re.Pattern[bytes], code: Code) -> Hypothesis | None:
    """Return all strings with a length, if the same few bytes follow them.

    The probe deletes no string that occurs more than once, which may be a keyword of the format. In
    strings on lines it deletes only the last byte, because an empty chunk may mark the end.
    """
    regions: list[Region] = []
    kinds: set[int] = set()
    on_lines = pattern.pattern.endswith(b"\n")
    at = 0
    while found := pattern.search(data, at):
        start, stop = found.span(1)
        size = code.number(found[1])
        end = found.end() + size
        if end > len(data) or (on_lines and not _LINE_ENDS.match(data, end)):
            return None
        if size:
            regions.append(Region(start, stop, code, found.end(), end))
            kinds.update(_DIGITS.sub(b"0", data[end : end + 1]))
        at = end
        if len(kinds) > _MAX_KINDS_AFTER:
            return None
    covered = sum(each.end - each.start for each in regions)
    if len(regions) < _MIN_STRINGS or 2 * covered < len(data):
        return None
    often = Counter(data[each.begin : each.end] for each in regions)
    items = [
        (each.end - 1 if on_lines else each.begin, each.end)
        for each in regions
        if often[data[each.begin : each.end]] == 1
    ]
    within = [] if on_lines else _lists_between(data, regions)
    if not items:
        return None
    return Hypothesis([], Items.of(items), regions, of_bytes=bool(within), within=within)


def _of_rest(data: bytes) -> Iterator[Hypothesis]:
    """Yield a number that ends a line, and is the length of the text after it or a blank line."""
    for number in _ENDS_LINE.finditer(data, 0, _MAX_HEAD_BYTES):
        blank = _BLANK_LINE.search(data, number.end() - 1)
        for first in (number.end(), blank.end() if blank else -1):
            if int(number[1]) == len(data) - first >= _MIN_REST:
                lines = Items.of(line.span() for line in _LINE.finditer(data, first))
                region = Region(*number.span(1), Code.DECIMAL, first, len(data))
                yield Hypothesis([], lines, [region])
                return


#: Never brackets.
_OTHERS = frozenset(b"0123456789+-.,;:= \t\r\n")


#: Lists of the spans in brackets.
_Contents = list[list[Span]]


def _lists_between(data: bytes, strings: Sequence[Region]) -> list[Items]:
    """Return the lists of a text of strings and brackets, if one letter closes all brackets."""
    keys = {each.start for each in strings}
    lists = (_items(alike, keys) for alike in _by_letter(data, strings).values())
    return [Items.of(items) for items in chain.from_iterable(lists) if len(items) > 1]


def _by_letter(data: bytes, strings: Sequence[Region]) -> dict[int, _Contents]:
    """Return the contents of brackets by the letters that open them; {} if they do not match."""
    ends = [0, *(bound for each in strings for bound in (each.start, each.end)), len(data)]
    marks = [at for gap in zip(ends[::2], ends[1::2], strict=True) for at in range(*gap)]
    marks = [at for at in marks if data[at] not in _OTHERS]
    closing = data[marks[-1]] if marks else 0
    if 2 * sum(data[at] == closing for at in marks) != len(marks):
        return {}
    open_: list[tuple[int, list[Span]]] = [(0, [])]  # brackets, with the spans in them
    found: defaultdict[int, _Contents] = defaultdict(list)
    for start, stop in sorted([(at, at) for at in marks] + [(x.start, x.end) for x in strings]):
        if start < stop:
            open_[-1][1].append((start, stop))
        elif data[start] != closing:
            open_.append((start, []))
        elif len(open_) == 1:
            return {}
        else:
            opening, inside = open_.pop()
            found[data[opening]].append(inside)
            open_[-1][1].append((opening, start + 1))
    return found


def _items(lists: _Contents, keys: Container[int]) -> Iterator[list[Span]]:
    """Yield the items of each list: pairs if keys and values alternate in all of the lists."""
    alternate = all(start in keys for inside in lists for start, _ in inside[::2])
    step = 2 if alternate and not any(len(inside) % 2 for inside in lists) else 1
    for inside in lists:
        pairs = zip(inside[::step], inside[step - 1 :: step], strict=True)
        yield [(first, last) for (first, _), (_, last) in pairs]
