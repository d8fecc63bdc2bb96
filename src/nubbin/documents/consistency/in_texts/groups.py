"""Groups of lines, by a count in each of them, or by the word that it begins or ends with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from nubbin.documents.consistency.in_texts.listed import MIN_ANY, Listed
from nubbin.documents.consistency.in_texts.text_lines import Line, Text, Word
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.splice import Span


def grouped(text: Text, at: int, head: Word, *, is_next: bool) -> tuple[Listed, int] | None:
    """Return the groups from a line on that a head counts, and the line after them."""
    if is_next and (found := _counting(text, at, head, False) or _counting(text, at, head, True)):
        return found, len(text.spans)
    if head.number < MIN_ANY:
        return None
    return _begun(text, at, head) or (_ended(text, at, head) if is_next else None)


def _counting(text: Text, at: int, head: Word, in_lines: bool) -> Listed | None:
    """Return groups up to the end of the text, each with a head that counts its items.

    Its items are the words of the next line, or the next lines.
    """
    groups, inside = list[Span](), list[Number]()
    while at < len(text.spans) and len(groups) < head.number:
        first = text.line(at).words[0]
        stop = at + 1 + (first.number if in_lines else first.number > 0)
        if first.number < 0 or stop > len(text.spans):
            return None
        lines = text.lines(at + 1, stop)
        spans = [each.span for line in lines for each in ([line] if in_lines else line.words)]
        if len(spans) != first.number:
            return None
        inside.append(Number(*first.span, Items([[span] for span in spans])))
        groups.append((first.start, text.spans[stop - 1][1]))
        at = stop
    is_all = len(groups) == head.number and at == len(text.spans)
    return Listed.of(groups, [], head, inside) if is_all else None


def _begun(text: Text, at: int, head: Word) -> tuple[Listed, int] | None:
    """Return groups whose first lines begin with a word that occurs so often, nowhere else.

    The last group ends with the last line of its keywords if all others do. Otherwise it has as
    many lines as the shortest of the others.
    """
    often = [n for n in text.begun.values() if len(n) == head.number and n[0] >= at]
    word = text.line(at).words[0].text
    if not often or often[0][0] != at or text.data.split().count(word) != head.number:
        return None
    first, keyed = often[0], often[:1]  # the lines that begin with each keyword
    nexts = [*first[1:], len(text.spans)]
    for more in often[1:]:
        turns = zip(keyed[-1], more, nexts, strict=True)
        keyed += [more] if all(before < here < after for before, here, after in turns) else []
    ends = [each + 1 for each in keyed[-1]]
    if ends[:-1] != first[1:]:
        ends[-1] = min(first[-1] + min(b - a for a, b in pairwise(first)), len(text.spans))
    stops = [*first[1:], ends[-1]]
    groups = [
        (text.line(a).span[0], text.line(b - 1).span[1]) for a, b in zip(first, stops, strict=True)
    ]
    inside = _rows_inside(text, keyed)
    return Listed.of(groups, [text.line(each) for each in first], head, inside), ends[-1]


def _rows_inside(text: Text, keyed: Sequence[Sequence[int]]) -> Iterator[Number]:
    """Yield a number of each group, if it counts the lines between two lines with keywords.

    The number is on a line with a keyword.
    """
    heads = [
        [word for at in group for word in text.line(at).words] for group in zip(*keyed, strict=True)
    ]
    for first, last in combinations(keyed, 2):
        sizes = [b - a - 1 for a, b in zip(first, last, strict=True)]
        for column in zip(*heads, strict=False) if len(set(sizes)) > 1 else ():
            if [word.number for word in column] == sizes:
                for word, a, b in zip(column, first, last, strict=True):
                    rows = Items([[line.span] for line in text.lines(a + 1, b)])
                    yield Number(word.start, word.stop, rows)
                return


def _ended(text: Text, at: int, head: Word) -> tuple[Listed, int] | None:
    """Return groups up to the end of a text, if each ends with the text's last word."""
    data, begin = text.data, text.spans[at][0]
    last = re.compile(rb"(?<!\S)%b(?!\S)" % re.escape(data.rsplit(None, 1)[-1]))
    stops = [found.end() for found in last.finditer(data, begin)]
    if len(stops) != head.number:
        return None
    starts = [begin, *stops[:-1]]
    groups = [
        (stop - len(data[start:stop].lstrip()), stop)
        for start, stop in zip(starts, stops, strict=True)
    ]
    return Listed.of(groups, [Line.read(data, each) for each in groups], head), len(text.spans)
