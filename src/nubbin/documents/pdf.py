"""PDF: a table has the offset of every object, and a stream has its length before it."""

from __future__ import annotations

import re

import numpy as np

from nubbin.documents.pieces import Pieces, split_at

_OBJECT = re.compile(rb"(?<![^\s])(\d{1,9})[ \t]+(\d{1,5})[ \t]+obj\b")
_ENDOBJ = re.compile(rb"\bendobj\s*")
_STREAM = re.compile(rb"\bstream\r?\n")
_END = b"endstream"
# Not a reference to another object that holds the number.
_LENGTH = re.compile(rb"/Length\s+(\d+)(?!\d|\s+\d+\s+R)")
_TABLE = re.compile(rb"(?<!start)\bxref\b\s*?(\r?\n)(?:[\d \t\r\nfn]*?)(?=trailer)")
_START = re.compile(rb"(\bstartxref\s+)\d+")


def objects(data: bytes) -> Pieces:
    """Split after every object."""
    return split_at(data, np.array([end.end() for end in _ENDOBJ.finditer(data)], dtype=np.int64))


def streams(data: bytes) -> Pieces:
    """Split after every object, and before and after the contents of every stream."""
    marks = re.compile(rb"%b|(?=%b)|%b" % (_STREAM.pattern, _END, _ENDOBJ.pattern))
    return split_at(data, np.array([mark.end() for mark in marks.finditer(data)], dtype=np.int64))


def repair(data: bytes) -> bytes:
    """Return a document whose stream lengths, table of objects and offset of the table are right.

    Of several tables, as updates append them, only the last is repaired.
    """
    data = _with_lengths(data)
    tables = list(_TABLE.finditer(data))
    if not tables:
        return data
    table = tables[-1]
    starts = {int(start[1]): start for start in _OBJECT.finditer(data, 0, table.start())}
    written = _table(starts, table[1])
    data = data[: table.start()] + written + data[table.end() :]
    return _START.sub(rb"\g<1>%d" % table.start(), data)


def _with_lengths(data: bytes) -> bytes:
    """Return the document with every stream's length in the dictionary before it."""
    parts, at = [], 0
    for start in _STREAM.finditer(data):
        end = data.find(_END, start.end())
        if end < 0:
            break
        if start.start() < at:
            continue
        before = data[at : start.start()]
        if lengths := list(_LENGTH.finditer(before)):
            body = data[start.end() : end].removesuffix(b"\n").removesuffix(b"\r")
            first, last = lengths[-1].span(1)
            before = before[:first] + str(len(body)).encode() + before[last:]
        at = end + len(_END)
        parts += [before, data[start.start() : at]]
    return b"".join([*parts, data[at:]])


def _table(starts: dict[int, re.Match[bytes]], line_end: bytes) -> bytes:
    """Return the table of objects: sections of consecutive numbers, 20 bytes an entry."""
    lines = [b"xref" + line_end, b"0 1" + line_end, b"0000000000 65535 f \n"]
    numbers = sorted(starts)
    for number in numbers:
        if number - 1 not in starts:
            size = next(i for i in range(1, len(numbers) + 1) if number + i not in starts)
            lines.append(b"%d %d%b" % (number, size, line_end))
        start = starts[number]
        lines.append(b"%010d %05d n \n" % (start.start(), int(start[2])))
    return b"".join(lines)
