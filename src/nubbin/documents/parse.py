"""Parse: a document's bytes as the parser read them, its errors, and what an edit makes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import tree_sitter

from nubbin.documents.grammars import grammar

#: Longer documents get no tree, only tokens: the parser takes up to 60 bytes for each of theirs.
LONGEST = 4 << 20
# On hostile input the parser's recovery from errors may take quadratic time and worse.
_PATIENCE_SECONDS = 10.0
# From so many edits on, a parse from scratch is faster than telling the old tree of each.
_MANY_SPANS = 1000

#: The bytes start..stop are replaced by the text.
Span = tuple[int, int, bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Parse:
    """A parsed document: `raw` is the parser's own tree of `data`, not to be edited."""

    data: bytes
    language: str
    raw: tree_sitter.Tree = field(repr=False)

    @property
    def has_errors(self) -> bool:
        """Whether the parser had to skip or to invent something. O(1)."""
        return self.raw.root_node.has_error

    @property
    def errors(self) -> int:
        """How many ERROR and MISSING nodes there are. Walks only what has errors inside."""
        return sum(1 for _ in self._errors())

    @property
    def stray_bytes(self) -> int:
        """How many bytes are part of no construct; a missing token counts as one."""
        return sum(
            node.end_byte
            - node.start_byte
            - sum(
                part.end_byte - part.start_byte
                for part in node.children
                if part.child_count or part.is_error
            )
            + node.is_missing
            for node in self._errors()
        )

    def _errors(self) -> Iterator[tree_sitter.Node]:
        """Yield the ERROR and MISSING nodes, in preorder."""
        cursor = self.raw.walk()
        while node := cursor.node:
            if node.has_error or node.is_error:
                if node.is_error or node.is_missing:
                    yield node
                if cursor.goto_first_child():
                    continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return

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
    `LONGEST`, or when the parser has found no end within ten seconds: such a document is a list
    of tokens.
    """
    if language is None or len(data) > LONGEST:
        return None
    return _parse(data, language, None)


def _parse(data: bytes, language: str, old: tree_sitter.Tree | None) -> Parse | None:
    table = grammar(language)
    if table is None:
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
