"""Lists that numbers before them count: lines, the words of a line, or groups of lines.

Groups have a count in each of them, or a word that each begins or ends with. To find more of them,
add a function to `_SOURCES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, combinations, groupby, pairwise
from math import log2
from typing import NamedTuple

from nubbin.documents.consistency.in_texts.listed import MIN_ITEMS, MIN_LONG, Listed, span_of
from nubbin.documents.consistency.in_texts.text_lines import Line, Row, Text, Word
from nubbin.documents.consistency.items import Items, Kind, Number
from nubbin.documents.splice import Span

#: In this many lines, one may look different from the others.
_LINES_PER_EXCEPTION = 20
#: At most this many lines that belong to no list may come before a list.
_MAX_LINES_BETWEEN = 20
#: With less evidence, in bits, a list has the length of a number by chance. The evidence of all
#: lists, minus the bits that choose so small a part of the text, must reach the other limit.
_MIN_BITS = 1.0
_MIN_BITS_OF_TEXT = 0.3
#: At most this many numbers of a line may be the lengths of the sections after it.
_MAX_SECTIONS = 8
#: At most this many numbers, the nearest ones, are tried as the count of a list.
_MAX_WAITING = 64
#: The words of a column that a head counts come in groups of one, two, three or four.
_MANY = range(1, 5)


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


class _Heads:
    """The numbers outside of lists, as they are read, and what they are found to count."""

    def __init__(self, text: Text):
        self.bits = 0.0  # the evidence of those that count a list
        self._text = text
        self._all: list[Head] = []
        self._waiting: list[Head] = []
        self._used: list[Head] = []  # have counted a list

    @property
    def near(self) -> list[Head]:
        """The nearest that count no list yet."""
        return self._waiting[-_MAX_WAITING:]

    def likely(self, at: int) -> list[Head]:
        """Return those that may count a list from a line on: the near ones, then the others."""
        many = (each for each in self.near if each.number >= MIN_ITEMS)
        likely = [each for each in many if each.evidence(len(self._all)) >= _MIN_BITS]
        heads = likely + self._used
        return [each for each in heads if not _is_one_of_many(self._text, each.line, at)]

    def read(self, at: int) -> None:
        """Add the numbers of a line that is in no list."""
        text = self._text
        words = [word for word in text.counts(text.spans[at]) if word.number]
        names = max(len(text.line(at).words) - len(words), 0)
        here = [Head(word, at, n, names) for n, word in enumerate(words, len(self._all))]
        self._all += here
        self._waiting += here

    def take(self, head: Head) -> None:
        """Note that a head counts a list."""
        if head in self._waiting:
            self.bits += head.evidence(len(self._all))
            self._waiting.remove(head)
            self._used.append(head)

    def others(self, found: Sequence[Listed]) -> list[Word]:
        """Return the numbers that count none of these lists, but may count something else."""
        counting = {number.start for each in found for number in each.numbers}
        words = [head.word for head in self._all if head.number >= MIN_ITEMS]
        return [word for word in words if word.start not in counting]


#: Lists that follow each other, the line after them, and the head that counts the first.
_Found = tuple[list[Listed], int, Head]


def counted_lists(text: Text) -> tuple[list[Word], list[Listed]]:
    """Return the numbers outside of lists that count none, and the lists that others count.

    Only numbers at the beginning and after counted lists are tried: most texts are hardly read. A
    number may also count the next list. Without enough evidence for all lists together, there are
    none. Lists that nothing counts follow, as they may contain positions.
    """
    heads, found = _Heads(text), list[Listed]()
    extent = at = reached = 0
    while at < len(text.spans) and at - reached <= _MAX_LINES_BETWEEN:
        likely = heads.likely(at)
        more = _sections(text, at, reached, heads.near, likely) or _grouped(text, at, likely)
        if more is None:
            heads.read(at)
            at += 1
            continue
        some, stop, head = more
        heads.take(head)
        found += some
        extent += text.spans[stop - 1][1] - text.spans[at][0]
        at = reached = stop
    if not found or heads.bits + log2(extent / len(text.data)) < _MIN_BITS_OF_TEXT:
        return [], []
    others = heads.others(found)
    for each in found:
        each.numbers += _across(each, others)
    left = groupby(text.lines(reached, len(text.spans)), key=lambda line: line.looks[1])
    runs = [run for _, alike in left if len(run := list(alike)) >= MIN_LONG]
    return others, [*found, *map(Listed.of_lines, runs)]


def _is_one_of_many(text: Text, line: int, at: int) -> bool:
    """Tell whether a line looks like the one before it and line `at`, so it heads no list."""
    return line > 0 and len({text.line(each).looks[1] for each in (line - 1, line, at)}) == 1


def _sections(
    text: Text, at: int, reached: int, near: Sequence[Head], likely: Sequence[Head]
) -> _Found | None:
    """Return the lines that a number counts, or sections that numbers of one line count."""
    ranked = [
        (doubt, -stops[-1], heads, stops)
        for heads in _orders(text, at, near, likely)
        for stops in [[*accumulate((head.number for head in heads), initial=at)]]
        if (doubt := _doubt(text, stops, reached, heads)) is not None
    ]
    if not ranked:
        return None
    *_, heads, stops = min(ranked, key=lambda each: each[:2])
    some = [
        Listed.of_lines(text.lines(*part), head.word)
        for part, head in zip(pairwise(stops), heads, strict=True)
    ]
    return some, stops[-1], heads[0]


def _orders(
    text: Text, at: int, near: Sequence[Head], likely: Sequence[Head]
) -> Iterator[Sequence[Head]]:
    """Yield heads that may count the lists from a line on, in the order of these lists.

    Several heads are in the line before, and in their order; two may be the other way round.
    """
    yield from ([head] for head in likely)
    before = [head for head in near if head.line == at - 1]
    if 0 < len(before) <= _MAX_SECTIONS and not _is_one_of_many(text, at - 1, at):
        for first, last in combinations(range(len(before)), 2):
            yield before[first : last + 1]
        yield from ([last, first] for first, last in combinations(before, 2))


def _doubt(text: Text, stops: Sequence[int], reached: int, heads: Sequence[Head]) -> int | None:
    """Return how many of the lists that heads count look like the lines around them.

    None if they are not such lists: lines of a list look alike, and unlike those around them except
    the head. Up to the end of the text, sections may look like each other, and lines may differ.
    """
    is_long = max(head.number for head in heads) >= MIN_LONG
    if stops[-1] > len(text.spans) or (len(heads) > 1 and not is_long):
        return None
    is_near = stops[0] == reached or heads[0].line >= reached
    is_rest = is_long and stops[-1] == len(text.spans) and is_near
    most, doubts = (2 if len(heads) == 1 else 1) if is_rest else 0, 0
    for part in pairwise(stops):
        if (doubt := _doubt_of_run(text, *part, heads[0].line)) > most:
            return None
        doubts += doubt > 0
    return doubts


def _doubt_of_run(text: Text, start: int, stop: int, above: int) -> int:
    """Return 0 if lines look alike, and unlike those around them; 1 if only alike; 2 if not alike.

    A few of many may look different.
    """
    around = [text.line(each).looks for each in (start - 1, stop) if above < each < len(text.spans)]
    few, doubt = (stop - start) // _LINES_PER_EXCEPTION, 2
    columns = zip(*(line.looks for line in text.lines(start, stop)), strict=True)
    for way, column in enumerate(columns):
        alike = column[len(column) // 2]
        if column.count(alike) >= len(column) - few:
            doubt = min(doubt, any(looks[way] == alike for looks in around))
    return doubt


def _across(listed: Listed, heads: Iterable[Word]) -> Iterator[Number]:
    """Yield the numbers of heads before a counted list that count its columns.

    These are words of each row, or the bytes of the last word. Also yields what counts all words.
    """
    rows = listed.rows
    words = sum(map(len, rows))
    widths = {len(row) for row in rows}
    sizes = {stop - start for row in rows for start, stop in [row[-1].bare]}
    for head in heads if rows else ():
        if head.start > rows[0][0].start:
            continue
        if widths in ({head.number * many} for many in _MANY):
            yield head.counts(_columns(rows, head.number))
        elif sizes == {head.number}:
            yield head.counts(_last_bytes(rows, head.number))
        elif head.number == words > len(rows):
            # A word is not removed by itself.
            yield head.counts(Items.of((word.span for row in rows for word in row), Kind.NAME))


def _columns(rows: Sequence[Row], count: int) -> Items:
    """Return as many groups of words, each with its place in every row."""
    step = len(rows[0]) // count
    starts = range(0, len(rows[0]), step)
    return Items([[span_of(row[at : at + step]) for row in rows] for at in starts])


def _last_bytes(rows: Sequence[Row], count: int) -> Items:
    """Return the bytes of the last words, each with its place in every row."""
    begins = [row[-1].bare[0] for row in rows]
    return Items(
        [[(at + n, at + n + 1) for at in begins] for n in range(count)], [Kind.CELL] * count
    )


# -- the words of a line, and groups of lines -------------------------------------------------

#: A list that a head counts, and the line after it.
_Group = tuple[Listed, int]


def _grouped(text: Text, at: int, heads: Sequence[Head]) -> _Found | None:
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
    if head.number < MIN_LONG:
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
    is_long = head.line == at - 1 and head.number >= MIN_LONG
    if not is_long or data.count(last, begin) < head.number:
        return None
    found = re.finditer(rb"(?<!\S)%b(?!\S)" % re.escape(last), data[begin:])
    stops = [begin + each.end() for each in found]
    if len(stops) != head.number:
        return None
    spans = pairwise([begin, *stops])
    groups = [(stop - len(data[start:stop].lstrip()), stop) for start, stop in spans]
    rows = [Line(data, each).words for each in groups]
    return Listed.of(groups, rows, head.word), len(text.spans)


#: The first that finds a list decides.
_SOURCES: tuple[Callable[[Text, int, Head], _Group | None], ...] = (
    _words,
    partial(_counting, in_lines=False),
    partial(_counting, in_lines=True),
    _begun,
    _ended,
)
