"""What is the difference between two candidates? Parts that stayed, that are gone, that are new."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import Enum
from typing import NamedTuple

from nubbin.documents.deltas import alike, alike_at_end

#: Python's matcher takes a time that is quadratic in the number of pieces.
_MAX_PIECES = 500

_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_TOKENS = re.compile(rb"[0-9A-Za-z_\x80-\xff]+|\s+|.", re.DOTALL)
_BYTES = re.compile(rb".", re.DOTALL)
_IN_WORD = re.compile(rb"[0-9A-Za-z_\x80-\xff]")


class Fate(Enum):
    """What became of a part."""

    KEPT = "kept"
    GONE = "gone"
    NEW = "new"


class Part(NamedTuple):
    """A part of a candidate, or of the one before, and its fate."""

    fate: Fate
    data: bytes


def parts(before: bytes, now: bytes, *, binary: bool = False) -> list[Part]:
    """Return the parts that two candidates are made of, in order.

    Those that are not new make `before`, and those that are not gone make `now`. What differs is
    compared by tokens (if it is `binary`, by bytes) if these are few, else by lines, and if those
    are many, all of it was replaced. Words stay whole. Linear in the bytes.
    """
    begin = alike(before, now)
    end = alike_at_end(before, now, min(len(before), len(now)) - begin)
    if not binary:
        begin, end = _at_words(before, now, begin, end)
    old, new = before[begin : len(before) - end], now[begin : len(now) - end]
    middle = _compared(old, new, [_BYTES] if binary else [_TOKENS, _LINES])
    all_of_it = [Part(Fate.KEPT, now[:begin]), *middle, Part(Fate.KEPT, now[len(now) - end :])]
    return [part for part in all_of_it if part.data]


def _at_words(before: bytes, now: bytes, begin: int, end: int) -> tuple[int, int]:
    """Return the lengths of what is alike at both ends, cut back so that no word is cut."""
    if any(_IN_WORD.match(data, begin) for data in (before, now)):
        while begin and _IN_WORD.match(now, begin - 1):
            begin -= 1
    if any(_IN_WORD.match(data, len(data) - end - 1) for data in (before, now) if end < len(data)):
        while end and _IN_WORD.match(now, len(now) - end):
            end -= 1
    return begin, end


def _compared(old: bytes, new: bytes, splits: list[re.Pattern[bytes]]) -> list[Part]:
    """Return the parts of two texts by the first split that leaves few pieces."""
    for split in splits:
        ours, theirs = split.findall(old), split.findall(new)
        if len(ours) + len(theirs) <= _MAX_PIECES:
            return _matched(ours, theirs)
    return [Part(Fate.GONE, old), Part(Fate.NEW, new)]


def _matched(old: list[bytes], new: list[bytes]) -> list[Part]:
    found = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, begin, end, start, stop in matcher.get_opcodes():
        if kind == "equal":
            found.append(Part(Fate.KEPT, b"".join(old[begin:end])))
        else:
            found.append(Part(Fate.GONE, b"".join(old[begin:end])))
            found.append(Part(Fate.NEW, b"".join(new[start:stop])))
    return found
