"""Parse: a document's bytes as the parser read them, its errors, and what an edit makes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import tree_sitter

from nubbin.documents.grammars import grammar
from nubbin.documents.nesting import breaks
from nubbin.documents.spans import Span

#: Longer documents get no tree, only tokens: the parser takes up to 60 bytes for each of theirs.
LONGEST = 4 << 20
# On hostile input the parser's recovery from errors may take quadratic time and worse.
_PATIENCE_SECONDS = 10.0
# What has errors in a larger share of its nodes is in another language, or in a dialect of which
# the grammar knows little. In files with the right ending it is under 0.03 for most languages,
# and up to 0.1 for assembly and SQL; in those that only share the ending it is 0.2 to 1.
_STRANGE = 0.05
# From so many edits on, a parse from scratch is faster than telling the old tree of each.
_MANY_SPANS = 1000


@dataclass(frozen=True, eq=False)
class Parse:
    """A parsed document: `raw` is the parser's own tree of `data`, not to be edited."""

    data: bytes
    language: str
    raw: tree_sitter.Tree = field(repr=False)

    @property
    def size(self) -> int:
        """How many nodes the tree has. O(1)."""
        return self.raw.root_node.descendant_count

    @cached_property
    def depth(self) -> int:
        """How many nodes are above the deepest one."""
        cursor, depth, deepest = self.raw.walk(), 0, 0
        while True:
            if cursor.goto_first_child():
                depth += 1
                continue
            deepest = max(deepest, depth)
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return deepest
                depth -= 1

    @cached_property
    def errors(self) -> int:
        """How many places do not fit: ERROR and MISSING nodes, and missing tokens without a name.

        Zero exactly when there are no errors. Walks only what has errors inside.
        """
        return sum(1 for _ in self._errors())

    @property
    def stray_bytes(self) -> int:
        """How many bytes are part of no construct; a missing token counts as one."""
        return sum(_stray(node) if node.is_error else 1 for node in self._errors())

    @property
    def fits(self) -> bool:
        """Whether the text seems to be in this language: errors are few among the nodes."""
        return self.errors <= _STRANGE * self.size

    def _errors(self) -> Iterator[tree_sitter.Node]:
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

    def edited(self, data: bytes, spans: Sequence[Span]) -> Parse | None:
        """Return the parse of `data`, which is `self.data` with these spans replaced.

        The spans are in order, disjoint, and in the old coordinates. Unchanged subtrees are
        shared with this parse, so the time is mostly that of the changed places. None when the
        parser gives up (see `parse`).
        """
        if len(spans) >= _MANY_SPANS:
            return parse(data, self.language)
        old = self.raw.copy()
        # The last first, so that the places of the others stay what they are.
        for (start, stop, text), place in reversed(
            list(zip(spans, _places(self.data, spans), strict=True))
        ):
            begin, end = place
            old.edit(start, stop, start + len(text), begin, end, _moved(begin, text))
        return _parse(data, self.language, old)


def parse(data: bytes, language: str | None) -> Parse | None:
    """Return the parse of a document, whatever its bytes.

    None where there is no language or no grammar for it, where the document is longer than
    `LONGEST` or nested beyond what the grammar survives, or when the parser has found no end
    within ten seconds: such a document is a list of tokens.
    """
    if language is None or len(data) > LONGEST:
        return None
    return _parse(data, language, None)


def _parse(data: bytes, language: str, old: tree_sitter.Tree | None) -> Parse | None:
    table = grammar(language)
    if table is None or breaks(language, data):
        return None
    view, deadline = memoryview(data), time.monotonic() + _PATIENCE_SECONDS

    def read(offset: int, _point: object) -> memoryview:
        return view[offset:]

    def too_long(_offset: int, _wrong: bool) -> bool:
        return time.monotonic() > deadline

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


def _places(data: bytes, spans: Sequence[Span]) -> list[tuple[_Point, _Point]]:
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
