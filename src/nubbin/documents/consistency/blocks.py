"""Lists that numbers of a text count: its lines, the words of one line, or groups of lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import NamedTuple

from nubbin.documents.consistency.numbers import Items, Number
from nubbin.documents.splice import Span

#: Fewer items than this are often as many as some number says.
MIN_ITEMS = 4
#: From this many on, what reaches to the end of the text need not look alike.
_MIN_ANY = 10
#: As many lines that belong to no list may stand before a list.
_MAX_LINES_BETWEEN = 20
_MAX_WORDS_OF_HEAD = 8
_MAX_NAMES_OF_HEAD = 3
#: Only as many numbers of heads are tried for what follows them.
_MAX_WAITING = 64

_LINE = re.compile(rb"[^\n]*\S[^\n]*")
_WORD = re.compile(rb"\S+")
_WHOLE = re.compile(rb"-?\d{1,9}\Z")
_NUMERIC = re.compile(rb"[-+]?\.?\d")
_DIGITS = re.compile(rb"\d+")


class Word(NamedTuple):
    """A word of a text, and where it stands."""

    start: int
    stop: int
    text: bytes

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.start, self.stop

    @property
    def is_numeric(self) -> bool:
        """Whether it begins as a number does."""
        return _NUMERIC.match(self.text) is not None

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number, with a minus or without a sign."""
        return _WHOLE.match(self.text) is not None

    @property
    def number(self) -> int:
        """The whole number that it is; -1 if it cannot count anything."""
        return int(self.text) if self.is_whole and not self.text.startswith(b"-") else -1


class Line(NamedTuple):
    """The words of a line that is not blank."""

    words: list[Word]

    @property
    def span(self) -> Span:
        """Where it stands, white space around it left out."""
        return self.words[0].start, self.words[-1].stop

    @property
    def numbers(self) -> list[Word]:
        """The whole numbers, if it can be a head: few words, and hardly a name among them."""
        found = [word for word in self.words if word.number >= 0]
        is_short = len(self.words) <= _MAX_WORDS_OF_HEAD
        return found if is_short and len(self.words) - len(found) <= _MAX_NAMES_OF_HEAD else []

    @property
    def width(self) -> int | None:
        """How many words are counted as one by the first word, if it counts the others.

        0 if it says that there are none.
        """
        count, others = self.words[0].number, len(self.words) - 1
        if count == 0 == others:
            return 0
        return others // count if count > 0 and others and others % count == 0 else None

    # -- what it looks like ------------------------------------------------------------

    def by_keyword(self) -> Hashable:
        """Return the number of words, and the first one unless it is a number."""
        first = self.words[0]
        return len(self.words), not first.is_numeric and _DIGITS.sub(b"0", first.text)

    def by_columns(self) -> Hashable:
        """Return which of the words are numbers."""
        return tuple(word.is_numeric for word in self.words)

    def by_count(self) -> Hashable:
        """Return whether it counts its words, and else as `by_keyword`."""
        return (self.width == 1 and len(self.words) > 1) or self.by_keyword()


_LOOKS: tuple[Callable[[Line], Hashable], ...] = (
    Line.by_keyword,
    Line.by_columns,
    Line.by_count,
)


class Block(NamedTuple):
    """What a number in a head counts, and the numbers inside that count in turn.

    `lines` are empty if the items are groups of lines.
    """

    head: Word
    lines: list[Line]
    items: Items
    inside: list[Number]


class Text:
    """The lines of a text that are not blank, read when they are needed."""

    def __init__(self, data: bytes):
        self._data = data
        self._spans = [line.span() for line in _LINE.finditer(data)]
        self._line = cache(self._read)

    def _read(self, at: int) -> Line:
        words = _WORD.finditer(self._data, *self._spans[at])
        return Line([Word(*word.span(), word[0]) for word in words])

    def heads_and_blocks(self) -> tuple[list[Word], list[Block]]:
        """Return the numbers of all heads, and what some of them count, in order.

        A number counts what follows its line if that is exactly as long: lines up to the end of the
        text, or that look alike, unlike those around them, or the words of one line. It may count
        the next list as well. Only the lines at the beginning, and those after what is counted, can
        be heads: most texts are hardly looked at.
        """
        heads: list[Word] = []
        blocks: list[Block] = []
        waiting: list[tuple[int, Word]] = []
        at = reached = 0
        last: list[tuple[int, Word]] = []  # the number that counts the list right before
        while at < len(self._spans) and at - reached <= _MAX_LINES_BETWEEN:
            for head in (*waiting[-_MAX_WAITING:], *last):
                found = self._block(at, reached, *head)
                if found is not None:
                    block, at = found
                    blocks.append(block)
                    waiting = [each for each in waiting if each != head]
                    reached, last = at, [head]
                    break
            else:
                heads += self._line(at).numbers
                waiting += [(at, word) for word in self._line(at).numbers]
                at += 1
                last = []
        return heads, blocks

    def _block(self, at: int, reached: int, line: int, head: Word) -> tuple[Block, int] | None:
        """Return what begins at a line, and where it ends, if a number in a head counts it."""
        if head.number < MIN_ITEMS:
            return None
        words = self._line(at).words
        is_next = line == at - 1 or reached == at or head.number >= _MIN_ANY
        if head.number == len(words) and is_next and all(word.is_numeric for word in words):
            items = Items([[word.span] for word in words])
            return Block(head, [self._line(at)], items, []), at + 1
        stop = at + head.number
        if self._reaches_end(stop, head) or any(
            self._is_run(at, stop, line, look) for look in _LOOKS
        ):
            lines = [self._line(each) for each in range(at, stop)]
            items = Items([[line.span] for line in lines])
            return Block(head, lines, items, list(_counts_of_words(lines))), stop
        return self._groups(at, head) if line == at - 1 else None

    def _reaches_end(self, stop: int, head: Word) -> bool:
        return stop == len(self._spans) and head.number >= _MIN_ANY

    def _is_run(self, at: int, stop: int, above: int, look: Callable[[Line], Hashable]) -> bool:
        """Tell whether lines look alike, and those around them do not; a head may."""
        if stop > len(self._spans):
            return False
        alike = look(self._line(at))
        around = [each for each in (at - 1, stop) if above < each < len(self._spans)]
        return all(look(self._line(each)) == alike for each in range(at, stop)) and not any(
            look(self._line(each)) == alike for each in around
        )

    def _groups(self, at: int, head: Word) -> tuple[Block, int] | None:
        """Return groups up to the end of the text, each with a head that counts what follows it.

        That is the words of one line, or lines.
        """
        for in_lines in (False, True):
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
                return Block(head, [], Items(places), inside), here
        return None


def _counts_of_words(lines: list[Line]) -> Iterator[Number]:
    """Yield the first numbers of lines, if all count the words after them, by ones, twos, ..."""
    widths = {line.width for line in lines}
    if len(widths - {0}) == 1 and None not in widths:
        width = max(width or 0 for width in widths)
        for line in lines:
            head, *words = line.words
            parts = [words[n : n + width] for n in range(0, len(words), width)]
            yield Number(*head.span, Items([[(part[0].start, part[-1].stop)] for part in parts]))
