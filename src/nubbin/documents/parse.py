"""Parse: a document's bytes as the parser read them, its errors, and what an edit makes of it.

For the parser's own process alone (see `nubbin.documents.parser`): a grammar may end the process.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import inf
from typing import NamedTuple

import tree_sitter

from nubbin.documents.grammars import grammar
from nubbin.documents.replacement import Replacement, replaced

# Recovery from errors may take quadratic time. The parser calls back after every hundred steps:
# 7 to 25 times for a kilobyte of what people write, 15,000 times for `->` repeated in Apex. As
# steps are counted, and not seconds, every machine gives up at the same texts.
_CALLS_PER_BYTE = 0.3
_CALLS_FOR_ANY = 1000
# Nodes take some 300 bytes each where passes climb; and for every level, passes parse a deep tree a
# few times.
_MOST_NODES = 1_000_000
_MOST_LEVELS = 2000
# From so many edits on, a parse from scratch is faster than telling the old tree of each.
_MANY_SPANS = 1000


#: What a node is, whether the grammar names it, and what it calls it in its parent, if anything.
Kind = tuple[str, bool, str | None]


class Facts(NamedTuple):
    """What is worth knowing of every tree."""

    size: int  # nodes
    #: How many places do not fit: ERROR and MISSING nodes, and missing tokens without a name.
    errors: int
    #: How many bytes are part of no construct; a missing token counts as one.
    stray_bytes: int


class Rows(NamedTuple):
    """The nodes of a tree: for each its start, stop, depth, and the index of its kind."""

    places: array[int]
    kinds: list[Kind]


@dataclass(frozen=True, eq=False)
class Parse:
    """A parsed document: `raw` is the parser's own tree of `data`, not to be edited."""

    data: bytes
    language: str
    raw: tree_sitter.Tree = field(repr=False)

    def facts(self) -> Facts | None:
        """Return what is worth knowing of a tree; None if it is too large or too deep to climb."""
        size = self.raw.root_node.descendant_count
        if size > _MOST_NODES or self._is_deeper_than(_MOST_LEVELS):
            return None
        stray = sum(_stray(node) if node.is_error else 1 for node in self._misfits())
        return Facts(size, self.errors, stray)

    @cached_property
    def errors(self) -> int:
        """How many places do not fit: see `Facts`. Walks only what has errors inside."""
        return sum(1 for _ in self._misfits())

    def rows(self, depth: float = inf, smallest: int = 0) -> Rows:
        """Return the nodes down to a depth, without the inside of those under `smallest` bytes.

        Parents first; nodes without any bytes are left out. Linear in the nodes returned, without
        recursion.
        """
        cursor, above, places = self.raw.walk(), 0, array("q")
        kinds: dict[tuple[int, int | None], int] = {}
        names: list[Kind] = []
        while True:
            node = cursor.node
            assert node is not None
            start, stop = node.start_byte, node.end_byte
            if start < stop:
                kind = node.kind_id, cursor.field_id
                code = kinds.get(kind)
                if code is None:
                    code = kinds[kind] = len(kinds)
                    names.append((node.type, node.is_named, cursor.field_name))
                places.extend((start, stop, above, code))
                if above < depth and stop - start >= smallest and cursor.goto_first_child():
                    above += 1
                    continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return Rows(places, names)
                above -= 1

    def _is_deeper_than(self, levels: int) -> bool:
        """Tell whether some node has more nodes than that above it; looks only where there may."""
        cursor, above = self.raw.walk(), 0
        while above <= levels:
            node = cursor.node
            assert node is not None
            if above + node.descendant_count > levels and cursor.goto_first_child():
                above += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return False
                above -= 1
        return True

    def _misfits(self) -> Iterator[tree_sitter.Node]:
        """Yield the ERROR and MISSING nodes, and those that lack a token the tree does not show."""
        cursor, found = self.raw.walk(), 0
        # For each node above the cursor, how many had been found on arrival there.
        before: list[int] = []
        while node := cursor.node:
            arrived = found
            if node.is_error or node.is_missing:
                found += 1
                yield node
            if node.has_error and cursor.goto_first_child():
                before.append(arrived)
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                above = cursor.node
                if before.pop() == found and above is not None:
                    found += 1
                    yield above

    def allows_edit(self, spans: Sequence[Replacement]) -> bool:
        """Tell whether the document with these spans replaced has at most the errors it has.

        What the parser gives up on is admitted.
        """
        after = self.edited(spans)
        more = () if after is None else islice(after._misfits(), self.errors, None)
        return not any(True for _ in more)

    def edited(self, spans: Sequence[Replacement]) -> Parse | None:
        """Return the parse of `data` with these spans replaced.

        The spans are in order, disjoint, and in the old coordinates. Unchanged subtrees are
        shared with this parse, so the time is mostly that of the changed places. None when the
        parser gives up (see `parse`).
        """
        data = replaced(self.data, Replacement(0, len(self.data)), spans)
        if len(spans) >= _MANY_SPANS:
            return parse(data, self.language)
        old = self.raw.copy()
        # The last first, so that the places of the others stay what they are.
        for (start, stop, text), place in reversed(
            list(zip(spans, _places(self.data, spans), strict=True))
        ):
            begin, end = place
            old.edit(start, stop, start + len(text), begin, end, _moved(begin, text))
        return parse(data, self.language, old)


def parse(data: bytes, language: str, old: tree_sitter.Tree | None = None) -> Parse | None:
    """Return the parse of a document, which was edited from what `old` is the tree of.

    None if there is no grammar for the language, or when the parser has found no end after many
    times the steps that it takes for what people write.
    """
    table = grammar(language)
    if table is None:
        return None
    view, calls = memoryview(data), _CALLS_FOR_ANY + int(_CALLS_PER_BYTE * len(data))

    def read(offset: int, _point: object) -> memoryview:
        return view[offset:]

    def too_long(_offset: int, _wrong: bool) -> bool:
        nonlocal calls
        calls -= 1
        return calls < 0

    parser = tree_sitter.Parser(table)
    try:
        # The parser takes an old tree or no second argument at all, but not None.
        raw = (
            parser.parse(read, progress_callback=too_long)
            if old is None
            else parser.parse(read, old, progress_callback=too_long)
        )
    except ValueError:
        return None
    return Parse(data, language, raw)


_Point = tuple[int, int]


def _places(data: bytes, spans: Sequence[Replacement]) -> list[tuple[_Point, _Point]]:
    """Return the row and the column, in bytes, of each span's two ends."""
    places, row, counted = [], 0, 0
    for span in spans:
        ends = []
        for at in span[:2]:
            row += data.count(b"\n", counted, at)
            counted = at
            ends.append((row, at - data.rfind(b"\n", 0, at) - 1))
        places.append((ends[0], ends[1]))
    return places


def _moved(point: _Point, text: bytes) -> _Point:
    """Return where a text ends that begins at a point."""
    rows = text.count(b"\n")
    return point[0] + rows, len(text) - text.rfind(b"\n") - 1 if rows else point[1] + len(text)


def _stray(error: tree_sitter.Node) -> int:
    """Return how many bytes of an ERROR node no construct inside it claims."""
    constructs = (part for part in error.children if part.child_count or part.is_error)
    return error.end_byte - error.start_byte - sum(p.end_byte - p.start_byte for p in constructs)
