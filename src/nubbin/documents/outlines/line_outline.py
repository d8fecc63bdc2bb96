"""Lines of a text without a grammar: indents, blocks, records and columns.

Records are stanzas that end at blank lines, or begin with lines that begin alike: `Package:`,
`commit`, `From `, `@@`, a time. Blocks that nest lie between a line and the `end` of it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from nubbin.documents.outlines.lexis import QUOTED
from nubbin.documents.outlines.pieces import Pieces, split_at
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import BLANKS
from nubbin.pattern import pattern

# -- indents ------------------------------------------------------------------------


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


def indented_blocks(data: bytes) -> Iterator[tuple[Replacement, int]]:
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


# -- records and blocks with an end -------------------------------------------------

_BLANK_LINES = pattern(rb"\n[ \t\r]*\n(?:[ \t\r]*\n)*")
#: The beginning of a line: a word, or a mark.
_HEAD = pattern(rb"^(?:[\w$#-]+[:=(\[{ ]?|[^\w\s])", re.MULTILINE)
_DIGITS = pattern(rb"\d+")
_MARKED_LINE = pattern(rb"^([^\w\n]*)(\w+)([^\n]*)", re.MULTILINE)

#: Fewer records than this are left to the passes on lines.
_MIN_RECORDS = 4
#: A part that is more of the text than this is not one record among others.
_MAX_RECORD_FRACTION = 0.5
#: Records of this many lines, in the mean, or fewer are left to the passes on lines.
_MIN_LINES_PER_RECORD = 2
#: Several words may begin records; each next word must begin this many times as many.
_SPLIT_FACTOR = 2
MAX_SPLITS = 4


def splits(data: bytes) -> list[Pieces]:
    """Split after blank lines, and before lines that begin alike: a few ways, coarse to fine.

    Linear in the bytes. Words whose lines are too many, too few or too uneven are left out.
    """
    stanzas = split_at(data, np.array([each.end() for each in _BLANK_LINES.finditer(data)]))
    found = [*([stanzas] if len(stanzas) >= _MIN_RECORDS else []), *_by_heads(data)]
    return sorted(found, key=len)[:MAX_SPLITS]


def _by_heads(data: bytes) -> list[Pieces]:
    starts: defaultdict[bytes, list[int]] = defaultdict(list)
    for head in _HEAD.finditer(data):
        starts[_DIGITS.sub(b"0", head[0])].append(head.start())
    lines = data.count(b"\n") + 1
    found: list[Pieces] = []
    for offsets in sorted(starts.values(), key=len):
        if len(offsets) * _MIN_LINES_PER_RECORD > lines or len(found) == MAX_SPLITS:
            break
        if len(offsets) + 1 < _MIN_RECORDS:
            continue
        split = split_at(data, np.array(offsets))
        even = split.weights.max() <= _MAX_RECORD_FRACTION * len(data)
        finer = not found or len(split) >= _SPLIT_FACTOR * len(found[-1])
        if len(split) >= _MIN_RECORDS and even and finer:
            found.append(split)
    return found


def ended_blocks(data: bytes) -> list[Replacement]:
    """Return the blocks between a line and its `end`, each with these two lines.

    `end` ends `begin`, `endif` ends `if`, `end:x` ends `begin:x`, and `</x>` ends `<x y>`, if there
    are as many lines of one as of the other and they nest. Linear in the bytes.
    """
    ends: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
    begins: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for line in _MARKED_LINE.finditer(data):
        mark, word = line[1].lstrip(), line[2].lower()
        rest = line[3].strip().lower()
        if mark.endswith(b"/"):
            ends[mark.removesuffix(b"/") + word].append(line.span())
        elif word.startswith(b"end"):
            name = word.removeprefix(b"end")
            begin = mark + name if name else mark + b"begin" + rest
            ends[begin].append(line.span())
        begins[mark + word].append(line.span())
        if rest and word == b"begin":
            begins[mark + word + rest].append(line.span())
    nested = (_nested(begins[begin], ends[begin], len(data)) for begin in ends)
    return list(dict.fromkeys(block for found in nested for block in found))


def _nested(
    begins: list[tuple[int, int]], ends: list[tuple[int, int]], size: int
) -> list[Replacement]:
    """Return the blocks of lines that begin and lines that end; none if they do not nest."""
    found, open_ = list[Replacement](), list[int]()
    lines = sorted([*((*line, False) for line in begins), *((*line, True) for line in ends)])
    for start, stop, ends_block in lines:
        if not ends_block:
            open_.append(start)
        elif open_:
            found.append(Replacement(open_.pop(), min(stop + 1, size)))
        else:
            return []
    return [] if open_ else found


# -- columns ------------------------------------------------------------------------

#: What separates fields: the first of these that makes a table of a text.
_SEPARATORS = (rb"\t", rb",", rb";", rb"\|", rb"[ \t]+")

#: Fewer rows than this show nothing.
_MIN_ROWS = 4
#: At least this fraction of the lines must have the same number of fields; others are not rows.
_MIN_ROW_FRACTION = 0.8
#: The fields of longer texts are too many to list, until some rows are deleted.
_MAX_BYTES = 1 << 20


def columns(data: bytes) -> list[list[Replacement]]:
    """Return the fields of each column, with a separator each; none if there is no table.

    The separator is that before the field, and for the first column the one after it. Linear in the
    bytes.
    """
    if len(data) > _MAX_BYTES:
        return []
    lines = [(line.start(), line.end()) for line in re.finditer(rb"(?m)^.*\S", data)]
    if len(lines) < _MIN_ROWS:
        return []
    for separator in _SEPARATORS:
        mark = re.compile(rb"%b|(%b)" % (QUOTED, separator))
        rows = [_separators(mark, data, *line) for line in lines]
        (count, often), *_ = Counter(map(len, rows)).most_common(1)
        if count and often >= _MIN_ROW_FRACTION * len(lines) and often >= _MIN_ROWS:
            fields = [
                _fields(row, *line)
                for row, line in zip(rows, lines, strict=True)
                if len(row) == count
            ]
            return [list(column) for column in zip(*fields, strict=True)]
    return []


def _separators(mark: re.Pattern[bytes], data: bytes, start: int, stop: int) -> list[range]:
    """Return where the separators of a line are; blanks that indent it do not count."""
    found = (range(*each.span(1)) for each in mark.finditer(data, start, stop) if each[1])
    return [each for each in found if data[start : each.stop].strip(b" ")]


def _fields(row: list[range], start: int, stop: int) -> list[Replacement]:
    starts = [start, *(each.start for each in row)]
    stops = [row[0].stop, *(each.start for each in row[1:]), stop]
    return [Replacement(*both) for both in zip(starts, stops, strict=True)]
