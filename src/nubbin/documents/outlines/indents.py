"""Indents: dedent lines, and find blocks, in languages whose structure depends on indents."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.spans import Replacement
from nubbin.documents.splice import BLANKS


def dedented(data: bytes, part: Replacement, column: int) -> tuple[Replacement, ...] | None:
    """Return the deletions that dedent a part so that its first line starts at a column.

    The deletions are in the lines after the first. None if the part is not deeper than the column,
    if it is not the first on its line, or if another of its lines is shallower.
    """
    first = column_of(data, part.start)
    indent = data[part.start - first : part.start]
    if first <= column or indent.strip(BLANKS):
        return None
    spans: list[Replacement] = []
    at = data.find(b"\n", part.start, part.stop) + 1
    while at:
        end = data.find(b"\n", at, part.stop)
        line = data[at : end if end >= 0 else part.stop]
        if line.startswith(indent):
            # With a text in its place, the deletion leaves the blanks after it: see `Layout`.
            deeper = line[first : first + 1]
            kept = b"" if deeper.strip(BLANKS) else deeper
            spans.append(Replacement(at + column, at + first + len(kept), kept))
        elif line.strip():
            return None
        at = end + 1
    return tuple(spans)


def column_of(data: bytes, at: int) -> int:
    """Return the number of bytes between the start of the line and an offset."""
    return at - data.rfind(b"\n", 0, at) - 1


def blocks(data: bytes) -> Iterator[tuple[Replacement, int]]:
    """Yield the blocks of lines that are indented deeper than the line before them.

    Each block is the span from the first byte of its first line after the indent, and the column
    at which the line before it begins. Inner blocks come before outer ones.
    """
    open_: list[tuple[int, int]] = []  # of a line: its offset after the indent, its column
    at, last = 0, 0
    for line in (*data.splitlines(keepends=True), b"$"):  # the last is below all blocks
        if text := line.lstrip(BLANKS).strip():
            column = line.index(text)
            while len(open_) > 1 and open_[-1][1] > column:
                start = open_.pop()[0]
                yield Replacement(start, last), open_[-1][1]
            if not open_ or column > open_[-1][1]:
                open_.append((at + column, column))
            last = at + column + len(text)
        at += len(line)
