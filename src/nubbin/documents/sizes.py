"""Sizes: the bytes, lines and tokens of a document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nubbin.documents.outlines.lexis import WORD

_BLANKS = b"\t\n\v\f\r "
_BLANK, _WORD, _MARK = range(3)
_KINDS = bytes(
    _BLANK if b in _BLANKS else _WORD if WORD.match(bytes([b])) else _MARK for b in range(256)
)
_CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of a document in three units.

    `lines` counts line feeds, and an unfinished last line. `tokens` is the same for every
    language, so that figures compare: words (runs of letters, digits, underscores and bytes
    over 127) and marks (any other single byte that is not white space). These are the pieces of
    `pieces.tokens` without white space, counted faster.
    """

    bytes: int
    lines: int
    tokens: int

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.bytes + other.bytes, self.lines + other.lines, self.tokens + other.tokens)


def measure(data: bytes) -> Sizes:
    """Return the sizes of some bytes; linear, in C: about half a millisecond a megabyte."""
    words = marks = 0
    inside = False
    # Chunk by chunk, so that all arrays of a chunk fit in the processor's cache.
    for start in range(0, len(data), _CHUNK_BYTES):
        part = data[start : start + _CHUNK_BYTES].translate(_KINDS)
        kinds = np.frombuffer(part, dtype=np.uint8)
        marks += int(np.count_nonzero(kinds == _MARK))
        in_word = kinds == _WORD
        words += int(np.count_nonzero(in_word[1:] > in_word[:-1]))
        words += bool(in_word[0]) and not inside
        inside = bool(in_word[-1])
    unfinished = bool(data) and not data.endswith(b"\n")
    return Sizes(len(data), data.count(b"\n") + unfinished, words + marks)
