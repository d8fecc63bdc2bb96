"""Fields in bytes, whose keys say how they end: messages of Protocol Buffers, and those in them."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import Hypothesis, Items
from nubbin.documents.consistency.regions import Region

#: What a key says in its last three bits: how many bytes follow it, or that a number in LEB128
#: does, or bytes with their length before them.
_NUMBER, _SIZED = 0, 2
_BYTES_AFTER = {_NUMBER: 0, 1: 8, _SIZED: 0, 5: 4}
_LEB128 = re.compile(rb"[\x80-\xff]{0,9}[\0-\x7f]")
#: A key with its kind and number is half of a surprise, a length that fits is more.
_FIELD_BITS, _LENGTH_BITS = 1, 4
#: Less evidence is chance.
_MIN_EVIDENCE_BITS = 48
_MAX_FIELDS = 50_000
#: Readers of Protocol Buffers take no deeper messages.
_MAX_DEPTH = 100


class _Field(NamedTuple):
    start: int
    stop: int
    # Where its length begins, and its bytes; equal if it has none.
    length: int
    first: int
    key: int


#: A field by the keys of those around it, its own last: what is called the same means the same.
_Path = tuple[int, ...]


def fields_in(data: bytes) -> Hypothesis | None:
    """Return the fields that fill a file, and those in all sized ones of a path; None if none do.

    Any bytes may be a message, but seldom all that have one path. Linear in the bytes, times how
    deep messages are; most files are none after a few bytes.
    """
    outside = _row(data, 0, len(data))
    if not outside:
        return None
    rows, level = [outside], _sized_by_path((), outside)
    for _ in range(_MAX_DEPTH):
        if not level or sum(map(len, rows)) > _MAX_FIELDS:
            break
        below: dict[_Path, list[_Field]] = {}
        for path, fields in level.items():
            inside = [_row(data, each.first, each.stop) for each in fields]
            found = [row for row in inside if row]
            if found and None not in inside:
                rows += found
                below |= _sized_by_path(path, [each for row in found for each in row])
        level = below
    sized = [each for row in rows for each in row if each.length < each.first]
    bits = _FIELD_BITS * sum(map(len, rows)) + _LENGTH_BITS * len(sized)
    lists = [Items([[(each.start, each.stop)] for each in row]) for row in rows if len(row) > 1]
    if bits < _MIN_EVIDENCE_BITS or len(rows) < 2 or not lists:
        return None
    regions = [
        Region(each.length, each.first, Code.LEB128, each.first, each.stop, 0) for each in sized
    ]
    longest = max(lists, key=lambda items: len(items.places))
    return Hypothesis([], longest, regions, of_bytes=True, within=lists)


def _sized_by_path(path: _Path, fields: list[_Field]) -> dict[_Path, list[_Field]]:
    found: defaultdict[_Path, list[_Field]] = defaultdict(list)
    for each in fields:
        if each.length < each.first:
            found[*path, each.key].append(each)
    return dict(found)


def _row(data: bytes, at: int, end: int) -> list[_Field] | None:
    """Return the fields that fill a range; None if they do not."""
    row: list[_Field] = []
    while at < end:
        read = Code.LEB128.read(data, at)
        if read is None or read[0] < 8 or read[0] & 7 not in _BYTES_AFTER:
            return None
        key, length = read
        first, stop = length, length + _BYTES_AFTER[key & 7]
        if key & 7 == _SIZED:
            if (size := Code.LEB128.read(data, length)) is None:
                return None
            first, stop = size[1], size[0] + size[1]
        elif key & 7 == _NUMBER:
            number = _LEB128.match(data, length)
            stop = number.end() if number else end + 1
        if stop > end or len(row) == _MAX_FIELDS:
            return None
        row.append(_Field(at, stop, length, first, key))
        at = stop
    return row
