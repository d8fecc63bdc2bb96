"""Outline: the structure of a text without a grammar: brackets, lines, indents, separators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from nubbin.documents.outlines.lexis import QUOTED, Level, lexed, unbalanced
from nubbin.documents.parsing.syntax import Node, no_collection
from nubbin.documents.spans import NO_AREAS, Areas, Replacement, replaced
from nubbin.pattern import pattern

_WORD = pattern(rb'%b|[^][(){},;|"\s]+|"' % QUOTED, re.DOTALL)
_BLANK = b" \t\r\n"
#: Each level costs at least a query; texts of people and tools are not deeper.
_MAX_DEPTH = 50
#: In a text of expressions, at most this fraction of the words is outside of parentheses.
_MAX_OUTSIDE = 0.05
#: Longer texts have no outline until whole lines are deleted: a megabyte of log has 200,000 parts.
_MAX_TEXT_BYTES = 1 << 20


class Outline:
    """Reads any text as a tree of lines, bracketed groups, and items between separators.

    A line extends to the end of the brackets that open in it, and contains the lines below it that
    are indented deeper. Commas, semicolons and bars separate the items of a line and of a group. A
    bracket without a partner is text. With `words`, the leaves are words. An edit is allowed if no
    bracket loses its partner, judged by the number of each kind. Costs no query; linear.
    """

    language = ""

    def __init__(self, words: bool = False) -> None:
        self._words = words
        self._read: tuple[bytes | None, list[Node]] = (None, [])

    def parses(self, data: bytes) -> bool:
        return len(data) <= _MAX_TEXT_BYTES and b"\0" not in data

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        if self._read[0] != data:
            with no_collection():
                self._read = data, list(_tree(self._parts(data))) if self.parses(data) else []
        return [
            node
            for node in self._read[1]
            if node.depth <= depth and len(node) >= smallest
            if node.parent is None or not closed.hold(node.parent.start, node.parent.stop)
        ]

    def functions(self, data: bytes, closed: Areas = NO_AREAS) -> list[Node]:
        return []  # brackets do not tell functions from other groups

    def _parts(self, data: bytes) -> Iterator[_Mark]:
        yield from _parts(data)
        if self._words:
            yield from (_Mark(*word.span(), "word") for word in _WORD.finditer(data))

    def allows_edit(self, data: bytes, spans: Sequence[Replacement]) -> bool:
        edited = replaced(data, Replacement(0, len(data)), spans)
        return unbalanced(edited) <= unbalanced(data)


def is_of_expressions(data: bytes) -> bool:
    """Tell whether nearly all words of a text are in parentheses, as in S-expressions.

    Of a text that is too long for an outline, only the beginning is read.
    """
    data = data[:_MAX_TEXT_BYTES]
    words = [word.span() for word in _WORD.finditer(data)]
    expressions = [pair for pair in lexed(data).partners.items() if data[pair[0]] == ord("(")]
    outside = reached = 0
    for start, stop in sorted(words + expressions):
        if start >= reached:
            outside += data[start] != ord("(")
            reached = stop
    return outside <= _MAX_OUTSIDE * len(words)


def apart_from_words(data: bytes, node: Node, text: bytes) -> bytes:
    """Return a word that replaces a node, with spaces between it and other words.

    Words of expressions consist of all marks except brackets: `=a` is one word. The text before the
    node may become a word as well.
    """
    before, after = data[: node.start][-1:], data[node.stop : node.stop + 1]
    left = b"" if before in b"([{" + _BLANK else b" "
    right = b"" if after in b"()[]{}" + _BLANK else b" "
    return left + text + right


class _Mark(NamedTuple):
    start: int
    stop: int
    kind: str
    named: bool = True


def _tree(parts: Iterable[_Mark]) -> Iterator[Node]:
    """Yield the nodes that nested parts make; of parts with the same span, the first."""
    above: list[Node] = []
    for part in sorted(parts, key=lambda part: (part.start, -part.stop)):
        while above and above[-1].stop <= part.start:
            above.pop()
        if above and (part.start, part.stop) == (above[-1].start, above[-1].stop):
            continue
        parent = above[-1] if above else None
        node = Node(part.start, part.stop, part.kind, part.named, parent)
        above.append(node)
        yield node


class _Line(NamedTuple):
    start: int
    stop: int
    column: float
    items: list[_Mark]  # the items and the separators between them; empty without separators
    end: list[_Mark]  # the separator at its end


def _parts(data: bytes) -> Iterator[_Mark]:
    """Yield all parts of a text, in any order; of parts with the same span, the outer one first."""
    yield _Mark(0, len(data), "text")
    for level in lexed(data).levels():
        if level.depth > _MAX_DEPTH:
            continue
        if level.depth:
            yield _Mark(level.start - 1, level.stop + 1, "group")
            yield from (_mark(data, level.start - 1), _mark(data, level.stop))
        lines = list(_lines(data, level))
        for line, reach in zip(lines, _reaches(lines), strict=True):
            if len(lines) > 1 or not level.depth:
                yield _Mark(line.start, reach, "line")
            yield from line.items
            yield from line.end


def _mark(data: bytes, at: int) -> _Mark:
    return _Mark(at, at + 1, chr(data[at]), named=False)


def _lines(data: bytes, level: Level) -> Iterator[_Line]:
    begin, marks = level.start, list[_Mark]()
    for at in [*level.marks, level.stop]:
        if at < level.stop and data[at] != ord("\n"):
            marks += [_mark(data, at)] if data[at] in b",;|" else []
            continue
        start, stop = _trimmed(data, begin, at)
        if start < stop:
            end = marks[-1:] if marks and marks[-1].stop == stop else []
            if end:
                stop = _trimmed(data, start, end[0].start)[1]
            column = inf if begin == level.start > 0 else start - begin
            yield _Line(start, stop, column, _items(data, start, stop, marks), end)
        begin, marks = at + 1, []


def _items(data: bytes, start: int, stop: int, marks: Sequence[_Mark]) -> list[_Mark]:
    inside = [mark for mark in marks if mark.stop <= stop]
    if not inside:
        return []
    starts = [start, *(mark.stop for mark in inside)]
    stops = [*(mark.start for mark in inside), stop]
    between = (_trimmed(data, *ends) for ends in zip(starts, stops, strict=True))
    return [*(_Mark(*ends, "item") for ends in between if ends[0] < ends[1]), *inside]


def _reaches(lines: Sequence[_Line]) -> list[int]:
    """Return the end of each line with the lines below it that are indented deeper."""
    reaches = [line.stop for line in lines]
    nexts = [*range(1, len(lines) + 1)]  # for each line, the next that is not indented deeper
    for at in reversed(range(len(lines))):
        while nexts[at] < len(lines) and lines[nexts[at]].column > lines[at].column:
            reaches[at], nexts[at] = reaches[nexts[at]], nexts[nexts[at]]
    return reaches


def _trimmed(data: bytes, start: int, stop: int) -> tuple[int, int]:
    """Return the start and end of a text without the blanks around it; equal if it has no other."""
    text = data[start:stop]
    inner = text.strip()
    start += len(text) - len(text.lstrip()) if inner else 0
    return start, start + len(inner)
