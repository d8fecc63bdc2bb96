"""How large a document is, in the units people count in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Per byte: 0 white space, 1 part of a word (letters, digits, _, all of non-ASCII), 2 a mark.
_KIND = np.full(256, 2, dtype=np.uint8)
_KIND[[9, 10, 11, 12, 13, 32]] = 0
_KIND[[*range(48, 58), *range(65, 91), 95, *range(97, 123), *range(128, 256)]] = 1


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a document is.

    `lines` counts line feeds, and an unfinished last line. `tokens` is the same for every
    language, so that figures compare: words (runs of letters, digits, underscores and bytes
    over 127) and marks (any other single byte that is not white space).
    """

    bytes: int
    lines: int
    tokens: int


def measure(data: bytes) -> Sizes:
    """Return the sizes of some bytes; linear, in C: about a millisecond a megabyte."""
    kinds = _KIND[np.frombuffer(data, dtype=np.uint8)]
    word_starts = np.count_nonzero(np.diff((kinds == 1).view(np.int8), prepend=0) == 1)
    marks = np.count_nonzero(kinds == 2)
    unfinished = bool(data) and not data.endswith(b"\n")
    return Sizes(len(data), data.count(b"\n") + unfinished, int(word_starts + marks))
