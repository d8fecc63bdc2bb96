"""Lists that a number before them counts, other than lines: the words of a line, groups of lines.

Groups have a count in each of them, or a word that each begins or ends with. To find more of them,
add a function to `_SOURCES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise
from math import log2
from typing import NamedTuple

from nubbin.documents.consistency.in_texts.listed import MIN_ANY, Listed
from nubbin.documents.consistency.in_texts.text_lines import Line, Text, Word
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.splice import Span


class Head(NamedTuple):
    """A number that may count the items after its line."""

    word: Word
    line: int
    nth: int  # how many numbers, outside of lists, come before it
    names: int  # the words of its line that are not numbers

    @property
    def number(self) -> int:
        """The count."""
        return self.word.number

    def evidence(self, seen: int) -> float:
        """Return the evidence, in bits, that a list has this length not by chance.

        `seen` numbers outside of lists were read. A list of N items has the length of a number once
        in N times. Each number after this one, and each word of its line, is one more choice.
        """
        return log2(self.number) - log2(seen - self.nth) - log2(1 + self.names)


#: Lists that follow each other, the line after them, and the head that counts the first.
Found = tuple[list[Listed], int, Head]
#: A list that a head counts, and the line after it.
_Group = tuple[Listed, int]


def grouped(text: Text, at: int, heads: Sequence[Head]) -> Found | None:
    """Return the first list of `_SOURCES` from a line on that one of these heads counts."""
    for source in _SOURCES:
        for head in heads:
            if found := source(text, at, head):
                return [found[0]], found[1], head
    return None


def _words(text: Text, at: int, head: Head) -> _Group | None:
    words = text.line(at).words
    if head.number != len(words) or not all(word.is_numeric for word in words):
        return None
    return Listed.of((word.span for word in words), [words], head.word), at + 1


def _counting(text: Text, at: int, head: Head, *, in_lines: bool) -> _Group | None:
    """Return groups up to the end of the text, each with a head that counts its items.

    Its items are the words of the next line, or the next lines.
    """
    if head.line != at - 1:
        return None
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
        inside.append(first.counts(Items.of(spans)))
        groups.append((first.start, text.spans[stop - 1][1]))
        at = stop
    is_all = len(groups) == head.number and at == len(text.spans)
    return (Listed.of(groups, [], head.word, inside), at) if is_all else None


def _begun(text: Text, at: int, head: Head) -> _Group | None:
    """Return groups whose first lines begin with a word that occurs so often, nowhere else.

    The last group ends with the last line of its keywords if all others do. Otherwise it has as
    many lines as the shortest of the others.
    """
    if head.number < MIN_ANY:
        return None
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
    parts = pairwise([*first, ends[-1]])
    groups = [(text.line(a).span[0], text.line(b - 1).span[1]) for a, b in parts]
    inside = _rows_inside(text, keyed)
    return Listed.of(groups, [text.line(each).words for each in first], head.word, inside), ends[-1]


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
                    yield word.counts(Items.of(line.span for line in text.lines(a + 1, b)))
                return


def _ended(text: Text, at: int, head: Head) -> _Group | None:
    """Return groups up to the end of a text, if each ends with the text's last word."""
    data, begin = text.data, text.spans[at][0]
    last = data.rsplit(None, 1)[-1]
    is_long = head.line == at - 1 and head.number >= MIN_ANY
    if not is_long or data.count(last, begin) < head.number:
        return None
    found = re.finditer(rb"(?<!\S)%b(?!\S)" % re.escape(last), data[begin:])
    stops = [begin + each.end() for each in found]
    if len(stops) != head.number:
        return None
    spans = pairwise([begin, *stops])
    groups = [(stop - len(data[start:stop].lstrip()), stop) for start, stop in spans]
    return Listed.of(groups, [Line(data, each).words for each in groups], head.word), len(
        text.spans
    )


#: The first that finds a list decides.
_SOURCES: tuple[Callable[[Text, int, Head], _Group | None], ...] = (
    _words,
    partial(_counting, in_lines=False),
    partial(_counting, in_lines=True),
    _begun,
    _ended,
)
