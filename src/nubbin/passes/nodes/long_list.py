"""Find the long list that most of a file is, and delete parts of it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, groupby
from typing import Self

from nubbin.documents.edits import Edit
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Areas, Replacement
from nubbin.documents.splice import Span
from nubbin.passes.headers import C_LIKE, is_border, members
from nubbin.pattern import pattern

#: Shorter lists are left to other passes.
_MIN_PARTS = 256
#: The kinds of a namespace, or `extern "C"`, and of its contents, and how deep they are nested.
_NAMESPACES, IN_NAMESPACE = ("namespace_definition", "linkage_specification"), "declaration_list"
_MAX_NAMESPACES = 3
#: The kind of a node that a grammar cannot read.
_MISREAD = "ERROR"
#: The end of a part that continues in the next node: with a `;`, or a word on its line.
_CONTINUES = pattern(rb"[\w)][ \t]+\w|.\s*;\Z", re.DOTALL)
#: A namespace that is inline in one place must be inline in all others.
_INLINE = pattern(rb"\binline\s+namespace\b")


@dataclass(frozen=True)
class LongList:
    """The parts of a list that is most of a file, in `data`.

    The members of a namespace are parts, and not the namespace. `span` is from the first part to
    the last, with the `namespaces` around them.
    """

    data: bytes
    parts: Sequence[Span]
    namespaces: Sequence[Span]
    span: Span
    language: str

    @classmethod
    def of(cls, structure: Structure, data: bytes, min_parts: int = _MIN_PARTS) -> Self | None:
        """Return the children of the first node of many, on the way to most of the file.

        If one of the children holds most of the functions, as a module in one function does, return
        those of the next such node instead.
        """
        found, node = None, _node(structure, data, 0, None)
        while node and 2 * len(node) >= len(data):
            children = [child for child in node.children if child.named]
            namespaces: list[Span] = []
            units = list(_outside_of_namespaces(children, namespaces))
            largest = max(units, key=len, default=None)
            if len(units) >= min_parts:
                span, parts = (children[0].start, children[-1].stop), _parts(data, units)
                inside = chain(units, *(each.children for each in units))
                if structure.language in C_LIKE and any(each.kind == _MISREAD for each in inside):
                    parts, namespaces = members(data)
                found = cls(data, parts, namespaces, span, structure.language)
                if not _holds_functions(largest, structure, data):
                    return found
            node = _node(structure, data, largest.depth, largest.start) if largest else None
        return found

    @cached_property
    def texts(self) -> list[bytes]:
        """The texts of the parts."""
        return [self.data[start:stop] for start, stop in self.parts]

    @property
    def around(self) -> bytes:
        """The text before and after the list."""
        return self.data[: self.span[0]] + b"\n" + self.data[self.span[1] :]

    def weight(self, some: Iterable[int]) -> int:
        """Return how many bytes some parts have."""
        return sum(len(self.texts[at]) for at in some)

    def by_part(self, edit: Edit) -> Iterator[tuple[int, Edit]]:
        """Yield the parts in which spans of an edit start, each with its spans in order."""

        def part_of(span: Replacement) -> int:
            return bisect_right(self.parts, span.start, key=lambda part: part[0]) - 1

        for at, spans in groupby(sorted(edit), part_of):
            if at >= 0:
                yield at, tuple(spans)

    def edited(self, at: int, spans: Edit) -> bytes:
        """Return the text of a part in which spans are replaced, in order; overlaps are ignored."""
        done, stop = self.parts[at]
        pieces: list[bytes] = []
        for span in spans:
            if done < span.stop and span.start < stop:
                pieces += [self.data[done : span.start], span.text]
                done = span.stop
        return b"".join((*pieces, self.data[done:stop]))

    def between(self, kept: Iterable[int]) -> Iterator[Span]:
        """Yield the spans before some parts, between them and after them."""
        at, stop = self.span
        for start, end in (*(self.parts[each] for each in sorted(kept)), (stop, stop)):
            if at < start:
                yield at, start
            at = end

    def all_but(self, kept: Collection[int], *, borders: bool = False) -> Edit:
        """Return the edit that deletes the other parts, with namespaces that become empty.

        The marks between parts are deleted with them. If `borders`, the borders of headers are
        kept, because they show where the headers and the main file begin.
        """
        stays = [at in kept or (borders and is_border(text)) for at, text in enumerate(self.texts)]
        if not any(stays):
            return (Replacement(*self.span),)
        block = list(accumulate(self._is_between_blocks(at) for at in range(len(stays))))
        groups = groupby(range(len(stays)), lambda at: (stays[at], block[at]))
        runs = [list(run) for (stay, _), run in groups if not stay]
        starts = [start for (start, _), stay in zip(self.parts, stays, strict=True) if stay]
        empty = [
            (start, stop)
            for start, stop in self.namespaces
            if bisect_left(starts, start) == bisect_left(starts, stop)
            and not _INLINE.search(self.data, start, stop)
        ]
        removed = Areas.covering([*(self._span(run[0], run[-1]) for run in runs), *empty])
        return tuple(map(Replacement, *removed))

    def _is_between_blocks(self, at: int) -> bool:
        """Tell whether a namespace begins or ends before a part."""
        before = self.data[self.parts[at - 1][1] : self.parts[at][0]] if at else b""
        return b"{" in before or b"}" in before

    def _span(self, first: int, last: int) -> Span:
        """Return the span of consecutive parts, with the marks after them or, at the end, before.

        A directive of a preprocessed program must begin its line, so a part that is not removed
        stays on a line of its own if it was on one.
        """
        start, stop = self.parts[first][0], self.parts[last][1]
        if last + 1 == len(self.parts):
            start = self.parts[first - 1][1] if first else start
        elif not self._is_between_blocks(last + 1):
            stop = self.parts[last + 1][0]
            line, next_line = self._line(start), self._line(stop)
            if line is None:
                stop = stop if next_line is None else next_line - 1
            elif next_line is not None:
                start, stop = line, next_line
        return start, stop

    def _line(self, at: int) -> int | None:
        """Return where the line of a part begins if the part is the first there."""
        line = self.data.rfind(b"\n", 0, at) + 1
        return None if self.data[line:at].strip() else line


def _node(structure: Structure, data: bytes, depth: int, start: int | None) -> Node | None:
    """Return the node of a depth that starts there, with its children and those of namespaces."""
    node = None
    for below in (1, 1 + 2 * _MAX_NAMESPACES):
        nodes = (each for each in structure.nodes(data, depth + below) if each.depth == depth)
        node = next((each for each in nodes if start in (None, each.start)), None)
        if not (node and any(child.kind in _NAMESPACES for child in node.children)):
            break
    return node


def _holds_functions(unit: Node | None, structure: Structure, data: bytes) -> bool:
    """Tell whether a node is most of a file, with most of its functions, besides its own body."""
    if unit is None or 2 * len(unit) < len(data):
        return False
    bodies = [node for node in structure.functions(data) if node.role == "body"]
    inside = sum(unit.start < body.start and body.stop < unit.stop for body in bodies)
    return 2 * (inside - 1) > len(bodies)


def _outside_of_namespaces(nodes: Iterable[Node], namespaces: list[Span]) -> Iterator[Node]:
    """Yield nodes, and the members of each namespace instead of it; record the namespaces."""
    for node in nodes:
        held = [child for child in node.children if child.kind == IN_NAMESPACE]
        if node.kind in _NAMESPACES and held:
            namespaces.append((node.start, node.stop))
            inside = (child for child in held[0].children if child.named)
            yield from _outside_of_namespaces(inside, namespaces)
        else:
            yield node


def _parts(data: bytes, nodes: Sequence[Node]) -> list[Span]:
    """Return the spans of nodes; a node that continues the one before it is part of that."""
    spans: list[Span] = []
    for node in nodes:
        continued = _CONTINUES.match(data, max(spans[-1][1] - 1, 0), node.stop) if spans else None
        start = spans.pop()[0] if continued and continued.end() > node.start else node.start
        spans.append((start, node.stop))
    return spans
