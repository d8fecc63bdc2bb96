"""Split a document into a flat list of lines, tokens, characters or bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from nubbin.documents.outlines.lexis import LETTER
from nubbin.documents.splice import Cuts, Offsets
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import Subset

# A word, with the space before it if that follows another word: they are removed together.
# White space within a line. Line ends with the indent of the next line. Single marks.
_TOKEN = pattern(rb"(?:(?<=%b) )?%b+|\s*\n[ \t]*|\s+|." % (LETTER, LETTER), re.DOTALL)

_CHUNK_BYTES = 1 << 20
_CHUNK_TOKENS = 1 << 16
_NO_OFFSETS = np.array([], dtype=np.int64)

#: A list of fewer elements is not long; texts of people have no list in more brackets.
_MIN_ELEMENTS, _MAX_DEPTH = 64, 50
_QUOTE, _BACKSLASH = b'"\\'
#: The most that are counted before a quote: an even number of them escapes nothing.
_MAX_BACKSLASHES = 64
#: By byte: whether it opens brackets (1), closes them (-1), or stands between elements or quotes.
_TURNS = np.zeros(256, np.int64)
_TURNS[list(b"([{")] = 1
_TURNS[list(b")]}")] = -1
_IS_MARK = _TURNS != 0
_IS_MARK[list(b',;"')] = True


@dataclass(frozen=True, slots=True)
class Pieces:
    """Consecutive pieces of bytes: piece i is `data[offsets[i]:offsets[i + 1]]`.

    Bytes before the first piece and after the last are in no piece, and are always kept.
    """

    data: bytes
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def cuts(self, kept: Subset) -> Cuts:
        """Return the cuts that keep only these pieces."""
        ends = np.concatenate((self.offsets[:1], self.offsets[kept.bounds], self.offsets[-1:]))
        some = ends[::2] < ends[1::2]
        return Cuts(ends[::2][some], ends[1::2][some], {})

    @property
    def weights(self) -> Offsets:
        """The length of each piece in bytes."""
        return np.diff(self.offsets)


#: Splits the bytes of one file.
Splitter = Callable[[bytes], Pieces]


def lines(data: bytes) -> Pieces:
    """Split after every line feed."""
    values = np.frombuffer(data, dtype=np.uint8)
    # Chunk by chunk: the flags of all bytes would take as much memory as the bytes.
    found = [
        np.flatnonzero(values[start : start + _CHUNK_BYTES] == 10) + start + 1
        for start in range(0, len(data), _CHUNK_BYTES)
    ]
    return split_at(data, np.concatenate((_NO_OFFSETS, *found)))


def elements(data: bytes) -> Pieces:
    """Split the outermost long list in brackets that is most of a text, except its first element.

    An element begins with the comma or semicolon before it. Without such a list, there are no
    pieces. Brackets in double quotes do not count. This does not use `lexis`: for 100 MB, a loop
    takes longer than the first query may.
    """
    values = np.frombuffer(data, dtype=np.uint8)
    starts = range(0, len(data), _CHUNK_BYTES)
    found = [np.flatnonzero(_IS_MARK[values[at : at + _CHUNK_BYTES]]) + at for at in starts]
    marks = _unquoted(values, np.concatenate((_NO_OFFSETS, *found)))
    turns = _TURNS[values[marks]]
    depths = np.cumsum(turns)
    for depth in range(1, _MAX_DEPTH):
        opening = np.flatnonzero((turns > 0) & (depths == depth))
        closing = np.flatnonzero((turns < 0) & (depths == depth - 1))
        after = np.searchsorted(closing, opening)
        opening, closing = opening[after < len(closing)], closing[after[after < len(closing)]]
        lengths = marks[closing] - marks[opening]
        if not len(lengths) or 2 * lengths.max() < len(data):
            break
        first, last = opening[lengths.argmax()], closing[lengths.argmax()]
        own = first + np.flatnonzero((turns[first:last] == 0) & (depths[first:last] == depth))
        if len(own) >= _MIN_ELEMENTS:
            return Pieces(data, np.append(marks[own], marks[last]))
    return Pieces(data, np.zeros(1, np.int64))


def _unquoted(values: npt.NDArray[np.uint8], marks: Offsets) -> Offsets:
    """Return the marks that are not in double quotes, and are no quotes."""
    is_quote = values[marks] == _QUOTE
    is_escaped = np.zeros(len(marks), dtype=np.bool_)
    is_behind = is_quote
    for steps in range(1, _MAX_BACKSLASHES):
        is_behind = is_behind & (marks >= steps) & (values[marks - steps] == _BACKSLASH)
        if not is_behind.any():
            break
        is_escaped ^= is_behind
    inside = np.cumsum(is_quote & ~is_escaped) % 2 == 1
    unquoted: Offsets = marks[~is_quote & ~inside]
    return unquoted


def single_bytes(data: bytes) -> Pieces:
    """Split into single bytes."""
    return split_at(data, np.arange(1, len(data) + 1))


def chars(data: bytes) -> Pieces:
    """Split into UTF-8 characters; a byte that is part of none is a piece of its own."""
    values = np.frombuffer(data, dtype=np.uint8)
    offsets = np.arange(len(values))
    # The number of bytes that a character which starts at each byte should have.
    length = 1 + (values >= 0xC0).astype(np.int64) + (values >= 0xE0) + (values >= 0xF0)
    leads = np.maximum.accumulate(np.where(values & 0xC0 != 0x80, offsets, 0))
    inside = (values & 0xC0 == 0x80) & (offsets - leads < length[leads])
    return split_at(data, np.flatnonzero(~inside))


def tokens(data: bytes) -> Pieces:
    """Split into words, white space and single marks, alike for every language.

    `Sizes.tokens` counts those that are not white space.
    """
    ends = map(re.Match.end, _TOKEN.finditer(data))
    found = [_NO_OFFSETS]
    # Chunk by chunk, because Ctrl-C does not work within one.
    while len(part := np.fromiter(islice(ends, _CHUNK_TOKENS), np.int64)):
        found.append(part)
    return split_at(data, np.concatenate(found))


def split_at(data: bytes, offsets: Offsets) -> Pieces:
    """Split at these offsets, which are in order; offsets outside of the data are ignored."""
    first, last = np.searchsorted(offsets, 0, "right"), np.searchsorted(offsets, len(data), "left")
    inside = offsets[first:last]
    ends = [0, len(data)] if data else [0]
    return Pieces(data, np.concatenate((ends[:1], inside, ends[1:])).astype(np.int64))
