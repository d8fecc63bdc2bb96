"""Tables: texts most of whose lines have the same number of fields, found by counting."""

from __future__ import annotations

import re
from collections import Counter

from nubbin.documents.outlines.lexis import QUOTED
from nubbin.documents.replacement import Replacement

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
