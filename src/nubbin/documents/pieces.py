"""Pieces: a document cut into a flat list of lines, tokens, characters or bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nubbin.minimizers.subset import Indices, Subset

# Words, each with the one blank that parts it from another word: neither goes without the other.
# White space within a line, line ends with what indents the next line, single marks.
_WORD = rb"[0-9A-Za-z_\x80-\xff]"
_TOKEN = re.compile(
    rb"(?:(?<=%b) )?%b+|\s*\n[ \t]*|\s+|." % (_WORD, _WORD),
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Bytes cut into consecutive pieces: piece i is `data[cuts[i]:cuts[i + 1]]`."""

    data: bytes
    cuts: Indices

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def join(self, kept: Subset) -> bytes:
        """Return the bytes of the kept pieces; linear in the subset's runs and the result."""
        ends = self.cuts[kept.bounds].tolist()
        data = self.data
        return b"".join([data[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)])

    @property
    def weights(self) -> Indices:
        """The length of each piece in bytes."""
        return np.diff(self.cuts)


Cut = Callable[[bytes], Pieces]


def lines(data: bytes) -> Pieces:
    """Cut after every line feed."""
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10) + 1
    return cut_at(data, ends)


def single_bytes(data: bytes) -> Pieces:
    """Cut into single bytes."""
    return cut_at(data, np.arange(1, len(data) + 1))


def chars(data: bytes) -> Pieces:
    """Cut into UTF-8 characters; a byte that is part of none is a piece of its own."""
    values = np.frombuffer(data, dtype=np.uint8)
    places = np.arange(len(values))
    # How many bytes the character that starts at each byte should have.
    length = 1 + (values >= 0xC0).astype(np.int64) + (values >= 0xE0) + (values >= 0xF0)
    leads = np.maximum.accumulate(np.where(values & 0xC0 != 0x80, places, 0))
    inside = (values & 0xC0 == 0x80) & (places - leads < length[leads])
    return cut_at(data, np.flatnonzero(~inside))


def tokens(data: bytes) -> Pieces:
    """Cut into words, white space and single marks, alike for every language."""
    found = _TOKEN.findall(data)
    return cut_at(data, np.fromiter(map(len, found), np.int64, len(found)).cumsum())


def cut_at(data: bytes, cuts: Indices) -> Pieces:
    """Cut at these places, given in order, and at both ends."""
    inside = cuts[np.searchsorted(cuts, 0, "right") : np.searchsorted(cuts, len(data), "left")]
    ends = [0, len(data)] if data else [0]
    return Pieces(data, np.concatenate((ends[:1], inside, ends[1:])).astype(np.int64))
