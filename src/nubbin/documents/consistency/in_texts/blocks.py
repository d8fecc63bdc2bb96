"""Lists that numbers of a text count: lines, the words of one line, or groups of lines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from itertools import accumulate, combinations, pairwise
from math import log2
from typing import NamedTuple

from nubbin.documents.consistency.in_texts.counts_inside import (
    MIN_ITEMS,
    counts_of_lines,
    counts_of_words,
    crossed,
)
from nubbin.documents.consistency.in_texts.marked import Marks
from nubbin.documents.consistency.in_texts.text_lines import (
    LOOKS,
    Line,
    Word,
    counts_in,
    spans_of_lines,
)
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.splice import Span

#: From this length on, a list up to the end of the text need not look alike, and a number may count
#: several lists.
_MIN_ANY = 10
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


class Block(NamedTuple):
    """A list that a number in a head counts, and the numbers inside it that count in turn.

    `lines` may be empty if the items are groups of lines. `crossed` are the numbers that count the
    columns of a table. A block that nothing counts has no head.
    """

    head: Word | None
    lines: list[Line]
    items: Items
    inside: list[Number]
    crossed: list[Number]


#: Lists that follow each other, where they end, and the head that counts the first.
_Found = tuple[list[Block], int, Head]


class Text:
    """The lines of a text that are not blank, read when they are needed."""

    def __init__(self, data: bytes):
        self._data = data
        self._spans = spans_of_lines(data)
        self._line = cache(self._read)

    def _read(self, at: int) -> Line:
        return Line.read(self._data, self._spans[at])

    def heads_and_blocks(self) -> tuple[list[Word], list[Block]]:
        """Return the numbers outside of lists, and the lists that some of them count, in order.

        A number counts a list after its line if that has exactly this length: lines up to the end
        of the text, or that look alike and unlike those around them, or the words of one line. It
        may also count the next list, but then no columns of a table, which it may divide by chance.
        Only numbers at the beginning and after counted lists are tried: most texts are hardly read.
        Without enough evidence for all lists together, there are none.
        """
        heads: list[Head] = []
        blocks: list[Block] = []
        waiting: list[Head] = []
        bits = 0.0
        extent = at = reached = 0
        again: list[Head] = []  # heads that have counted a list; a small one only the list before
        while at < len(self._spans) and at - reached <= _MAX_LINES_BETWEEN:
            near = waiting[-_MAX_WAITING:]
            found = self._sections(at, near) or self._next(at, reached, len(heads), near, again)
            if found is None:
                waiting += (here := self._heads(at, len(heads)))
                heads += here
                at, again = at + 1, [each for each in again if each.number >= _MIN_ANY]
                continue
            more, stop, head = found
            if head in waiting:
                bits += head.evidence(len(heads))
                waiting.remove(head)
                again.append(head)
            others = [each.word for each in waiting]
            blocks += [each._replace(crossed=list(crossed(each.lines, others))) for each in more]
            extent += self._spans[stop - 1][1] - self._spans[at][0]
            at = reached = stop
        if not blocks or bits + log2(extent / len(self._data)) < _MIN_BITS_OF_TEXT:
            return [], []
        counting = {block.head.span for block in blocks if block.head}
        for block in blocks:
            block.crossed[:] = [each for each in block.crossed if each[:2] not in counting]
        return [head.word for head in heads], [*blocks, *self._uncounted(reached)]

    def _heads(self, at: int, before: int) -> list[Head]:
        """Return the numbers of a line that may count something."""
        found = [word for word in counts_in(self._data, self._spans[at]) if word.number]
        names = max(len(self._line(at).words) - len(found), 0)
        return [Head(word, at, before + n, names) for n, word in enumerate(found)]

    def _sections(self, at: int, near: list[Head]) -> _Found | None:
        """Return sections that numbers of the line before count, in their order.

        After each section, lines look different. Sections up to the end of the text may look alike.
        """
        heads = [head for head in near if head.line == at - 1]
        if not 1 < len(heads) <= _MAX_SECTIONS or self._is_one_of_many(at - 1, at):
            return None
        ranges = combinations(range(len(heads) + 1), 2)
        for first, last in sorted(ranges, key=lambda each: each[0] - each[1]):
            counting = heads[first:last]
            stops = list(accumulate((head.number for head in counting), initial=at))
            if len(counting) < 2 or max(head.number for head in counting) < _MIN_ANY:
                continue
            is_end, parts = stops[-1] == len(self._spans), list(pairwise(stops))
            if stops[-1] > len(self._spans) or not (is_end or all(map(self._is_bound, stops[1:]))):
                continue
            if all(any(self._is_alike(*part, look) for look in LOOKS) for part in parts):
                words = (head.word for head in counting)
                return [*map(self._block, words, *zip(*parts, strict=True))], stops[-1], counting[0]
        return None

    def _is_bound(self, stop: int) -> bool:
        """Tell whether a line looks different from the line before it in every way."""
        before, after = self._line(stop - 1), self._line(stop)
        return all(look(before) != look(after) for look in LOOKS)

    def _next(
        self, at: int, reached: int, seen: int, near: list[Head], again: list[Head]
    ) -> _Found | None:
        """Return the list that begins at a line, where it ends, and the head that counts it."""
        near = [each for each in near if each.number >= MIN_ITEMS]
        likely = [each for each in near if each.evidence(seen) >= _MIN_BITS]
        heads = [each for each in likely + again if not self._is_one_of_many(each.line, at)]
        for find in (self._lines, self._words, self._groups, self._marked):
            for head in heads:
                if found := find(at, reached, head.line, head.word):
                    return [found[0]], found[1], head
        return None

    def _is_one_of_many(self, line: int, at: int) -> bool:
        """Tell whether a line looks like the one before it and line `at`, so it heads no list."""
        alike = self._line(line).by_columns()
        return line > 0 and all(self._line(each).by_columns() == alike for each in (line - 1, at))

    def _words(self, at: int, _: int, __: int, head: Word) -> tuple[Block, int] | None:
        words = self._line(at).words
        if head.number != len(words) or not all(each.is_numeric for each in words):
            return None
        items = Items([[word.span] for word in words])
        return Block(head, [self._line(at)], items, [], []), at + 1

    def _lines(self, at: int, reached: int, line: int, head: Word) -> tuple[Block, int] | None:
        stop = at + head.number
        follows = at == reached or line >= reached
        reaches_end = follows and stop == len(self._spans) and head.number >= _MIN_ANY
        if stop > len(self._spans):
            return None
        looks = LOOKS if head.number < _MIN_ANY else (*LOOKS, Line.by_length)
        if not reaches_end and not any(self._is_run(at, stop, line, look) for look in looks):
            return None
        return self._block(head, at, stop), stop

    def _block(self, head: Word | None, at: int, stop: int) -> Block:
        """Return lines as a list, with the counts in them."""
        lines = [self._line(each) for each in range(at, stop)]
        inside = list(counts_of_words(lines)) if head else []
        return Block(head, lines, Items([[line.span] for line in lines]), inside, [])

    def _is_run(self, at: int, stop: int, above: int, look: Callable[[Line], Hashable]) -> bool:
        """Tell whether lines look alike, and unlike those around them, except the head."""
        around = [each for each in (at - 1, stop) if above < each < len(self._spans)]
        alike = look(self._line((at + stop) // 2))
        if any(look(self._line(each)) == alike for each in around):
            return False
        ends = [look(self._line(each)) for each in (at, stop - 1)]
        return ends == [alike, alike] and self._is_alike(at, stop, look)

    def _is_alike(self, at: int, stop: int, look: Callable[[Line], Hashable]) -> bool:
        """Tell whether lines look alike; a few of many may look different."""
        alike, left = look(self._line((at + stop) // 2)), (stop - at) // _LINES_PER_EXCEPTION
        for each in range(at, stop):
            left -= look(self._line(each)) != alike
            if left < 0:
                return False
        return True

    def _groups(self, at: int, _: int, line: int, head: Word) -> tuple[Block, int] | None:
        """Return groups up to the end of the text, each with a head that counts its items.

        Its items are the words of the next line, or the next lines.
        """
        for in_lines in (False, True) if line == at - 1 else ():
            places, inside, here = list[list[Span]](), list[Number](), at
            while here < len(self._spans) and len(places) < head.number:
                first = self._line(here).words[0]
                stop = here + 1 + (first.number if in_lines else first.number > 0)
                if first.number < 0 or stop > len(self._spans):
                    break
                lines = [self._line(each) for each in range(here + 1, stop)]
                spans = [
                    each.span for line in lines for each in ([line] if in_lines else line.words)
                ]
                if len(spans) != first.number:
                    break
                inside.append(Number(*first.span, Items([[span] for span in spans])))
                places.append([(first.start, self._spans[stop - 1][1])])
                here = stop
            if len(places) == head.number and here == len(self._spans):
                return Block(head, [], Items(places), inside, []), here
        return None

    def _marked(self, at: int, _: int, line: int, head: Word) -> tuple[Block, int] | None:
        """Return groups that begin or end with a word that occurs as often as a head says."""
        if head.number < _MIN_ANY:
            return None
        marks, begin = Marks.of(self._data, _MIN_ANY), self._spans[at][0]
        inside: list[Number] = []
        if found := marks.begun(head.number, begin):
            groups = found.groups
            whole = [self._between(*group) for group in groups]
            inside = list(counts_of_lines(whole, found.words))
            lines = [group[0] for group in whole]
        else:
            groups = marks.ended(head.number, begin) if line == at - 1 else []
            lines = [Line.read(self._data, group) for group in groups]
        stop = bisect_left(self._spans, (groups[-1][1],)) if groups else at
        items = Items([[group] for group in groups])
        return (Block(head, lines, items, inside, []), stop) if groups else None

    def _between(self, start: int, stop: int) -> list[Line]:
        """Return the lines between two offsets."""
        first, last = bisect_left(self._spans, (start,)), bisect_left(self._spans, (stop,))
        return [self._line(each) for each in range(first, last)]

    def _uncounted(self, at: int) -> Iterator[Block]:
        """Yield runs of lines that look alike and are not counted: they may contain positions."""
        while at < len(self._spans):
            begin, alike = at, self._line(at).by_keyword()
            while at < len(self._spans) and self._line(at).by_keyword() == alike:
                at += 1
            if at - begin >= _MIN_ANY:
                yield self._block(None, begin, at)
