"""Lists that numbers of a text count: its lines, the words of one line, or groups of lines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

from nubbin.documents.consistency.in_texts.counts_inside import (
    MANY,
    MIN_ITEMS,
    are_numbers,
    counts_of_lines,
    counts_of_words,
    crossed,
)
from nubbin.documents.consistency.in_texts.marked import Marks
from nubbin.documents.consistency.in_texts.text_lines import (
    LOOKS,
    Line,
    Word,
    spans_of_lines,
)
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.splice import Span

#: From this many on, what reaches to the end of the text need not look alike, and a number may
#: count several lists.
_MIN_ANY = 10
#: Of so many lines that look alike, one may look otherwise.
_LINES_PER_EXCEPTION = 20
#: As many lines that belong to no list may stand before a list.
_MAX_LINES_BETWEEN = 20
#: Only so many numbers in a line may say how long the sections after it are.
_MAX_SECTIONS = 8
#: Only as many numbers of heads are tried for what follows them.
_MAX_WAITING = 64


class Block(NamedTuple):
    """What a number in a head counts, and the numbers inside that count in turn.

    `lines` are empty if the items are groups of lines; `crossed` are the columns of a table, if a
    number counts them. A block that nothing counts has no head.
    """

    head: Word | None
    lines: list[Line]
    items: Items
    inside: list[Number]
    crossed: list[Number]


class Text:
    """The lines of a text that are not blank, read when they are needed."""

    def __init__(self, data: bytes):
        self._data = data
        self._spans = spans_of_lines(data)
        self._line = cache(self._read)

    def _read(self, at: int) -> Line:
        return Line.read(self._data, self._spans[at])

    def heads_and_blocks(self) -> tuple[list[Word], list[Block]]:
        """Return the numbers of all heads, and what some of them count, in order.

        A number counts what follows its line if that is exactly as long: lines up to the end of the
        text, or that look alike, unlike those around them, or the words of one line. It may count
        the next list as well, but then no columns of a table, which it may divide by chance. Only
        the lines at the beginning, and those after what is counted, can be heads: most texts are
        hardly looked at.
        """
        heads: list[Word] = []
        blocks: list[Block] = []
        waiting: list[tuple[int, Word]] = []
        at = reached = 0
        last: list[tuple[int, Word]] = []  # the number that counts the list right before
        again: list[tuple[int, Word]] = []  # those that have counted a list
        while at < len(self._spans) and at - reached <= _MAX_LINES_BETWEEN:
            found = self._next(at, reached, [*waiting[-_MAX_WAITING:], *last, *again])
            if found is not None:
                block, stop, head = found
                blocks += self._few(max(reached, head[0] + 1), at, head, waiting)
                at = stop
                others = [word for _, word in waiting if word is not head[1]]
                blocks.append(block._replace(crossed=list(crossed(block.lines, others))))
                waiting = [each for each in waiting if each != head]
                again += [head] if head[1].number >= _MIN_ANY else []
                reached, last = at, [head]
            else:
                heads += self._line(at).numbers
                waiting += [(at, word) for word in self._line(at).numbers]
                at += 1
                last = []
                if sections := self._sections(at, self._line(at - 1).numbers):
                    blocks += sections
                    at = reached = len(self._spans)
        counting = {block.head.span for block in blocks if block.head}
        for n, block in enumerate(blocks):
            left = [each for each in block.crossed if each[:2] not in counting]
            blocks[n] = block._replace(crossed=left)
        return heads, [*blocks, *(self._uncounted(reached) if blocks else ())]

    def _sections(self, at: int, head: list[Word]) -> list[Block]:
        """Return sections up to the end of the text, all of which a head counts, one by one.

        As many of its numbers as there are sections, one after the other, add up to the lines. The
        lines of each section are as many numbers, and nothing else.
        """
        rest = len(self._spans) - at
        head = head if len(head) <= _MAX_SECTIONS else []
        for first, last in combinations(range(len(head) + 1), 2):
            counting = [word for word in head[first:last] if word.number]
            sizes = [word.number for word in counting]
            if len(sizes) < 2 or max(sizes) < _MIN_ANY or sum(sizes) != rest:
                continue
            stops = list(accumulate(sizes, initial=at))
            parts = [[self._line(n) for n in range(*each)] for each in pairwise(stops)]
            if all(map(are_numbers, parts)):
                return [
                    Block(word, lines, Items([[line.span] for line in lines]), [], [])
                    for word, lines in zip(counting, parts, strict=True)
                ]
        return []

    def _few(
        self, start: int, stop: int, head: tuple[int, Word], waiting: list[tuple[int, Word]]
    ) -> Iterator[Block]:
        """Yield the few lines before a block that another number in the line of its head counts."""
        if 0 < stop - start < MIN_ITEMS:
            lines = [self._line(each) for each in range(start, stop)]
            for line, word in waiting:
                if line == head[0] and word.number == len(lines) and word is not head[1]:
                    yield Block(word, lines, Items([[line.span] for line in lines]), [], [])
                    return

    def _next(
        self, at: int, reached: int, heads: list[tuple[int, Word]]
    ) -> tuple[Block, int, tuple[int, Word]] | None:
        """Return what begins at a line, where it ends, and the head that counts it."""
        for find in (self._lines, self._words, self._groups, self._marked):
            for head in heads:
                if head[1].number < MIN_ITEMS or self._is_one_of_many(head[0], at):
                    continue
                if found := find(at, reached, *head):
                    return *found, head
        return None

    def _is_one_of_many(self, line: int, at: int) -> bool:
        """Tell whether a line looks as that before it and another one: it is no head of that."""
        alike = self._line(line).by_columns()
        return line > 0 and all(self._line(each).by_columns() == alike for each in (line - 1, at))

    def _words(self, at: int, reached: int, line: int, head: Word) -> tuple[Block, int] | None:
        words = self._line(at).words
        is_next = line == at - 1 or reached == at or head.number >= _MIN_ANY
        if not is_next or not all(each.is_numeric for each in words):
            return None
        if head.number == len(words):
            items = Items([[word.span] for word in words])
            return Block(head, [self._line(at)], items, [], []), at + 1
        return self._wrapped(at, len(words), head) if line == at - 1 else None

    def _wrapped(self, at: int, width: int, head: Word) -> tuple[Block, int] | None:
        """Return numbers of several lines, all as wide but the last, if they are counted by ones,
        twos, ...
        """
        stop = at
        words: list[Word] = []
        while stop < len(self._spans) and len(words) == width * (stop - at):
            more = self._line(stop).words
            if len(more) > width or not all(word.is_numeric for word in more):
                break
            words += more
            stop += 1
        each = len(words) // head.number
        if head.number < _MIN_ANY or each not in MANY or len(words) != each * head.number:
            return None
        is_table = each == 1 and len(words) == width * (stop - at)
        if stop < at + 2 or width % each or is_table:
            return None
        parts = [words[n : n + each] for n in range(0, len(words), each)]
        spans = [(part[0].start, part[-1].stop) for part in parts]
        lines = [Line(part, span) for part, span in zip(parts, spans, strict=True)]
        return Block(head, lines, Items([[span] for span in spans]), [], []), stop

    def _lines(self, at: int, reached: int, line: int, head: Word) -> tuple[Block, int] | None:
        stop = at + head.number
        follows = at == reached or line >= reached
        reaches_end = follows and stop == len(self._spans) and head.number >= _MIN_ANY
        looks = LOOKS if head.number < _MIN_ANY else (*LOOKS, Line.by_length)
        if not reaches_end and not any(self._is_run(at, stop, line, look) for look in looks):
            return None
        lines = [self._line(each) for each in range(at, stop)]
        items = Items([[line.span] for line in lines])
        return Block(head, lines, items, list(counts_of_words(lines)), []), stop

    def _is_run(self, at: int, stop: int, above: int, look: Callable[[Line], Hashable]) -> bool:
        """Tell whether lines look alike, and those around do not; a head may.

        A few lines between the first and the last one may look otherwise.
        """
        if stop > len(self._spans):
            return False
        alike = look(self._line((at + stop) // 2))
        around = [each for each in (at - 1, stop) if above < each < len(self._spans)]
        ends = [look(self._line(each)) for each in (at, stop - 1)]
        if ends != [alike, alike] or alike in (look(self._line(each)) for each in around):
            return False
        others = sum(look(self._line(each)) != alike for each in range(at, stop))
        return others <= (stop - at) // _LINES_PER_EXCEPTION

    def _groups(self, at: int, _: int, line: int, head: Word) -> tuple[Block, int] | None:
        """Return groups up to the end of the text, each with a head that counts what follows it.

        That is the words of one line, or lines.
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
        """Return groups that begin or end with a word that stands as often as a head says."""
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
        """Yield the lines that look alike from a line on, which may point into what is counted."""
        while at < len(self._spans):
            begin, alike = at, self._line(at).by_keyword()
            while at < len(self._spans) and self._line(at).by_keyword() == alike:
                at += 1
            if at - begin >= _MIN_ANY:
                lines = [self._line(each) for each in range(begin, at)]
                yield Block(None, lines, Items([[line.span] for line in lines]), [], [])
