"""Replacement: a span of a document and its new text. Without numpy, for the parser's process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Replacement(NamedTuple):
    """Bytes `start` to `stop` - 1 of a document, and the text that replaces them."""

    start: int
    stop: int
    text: bytes = b""


def replaced(data: bytes, part: Replacement, spans: Sequence[Replacement]) -> bytes:
    """Return the bytes of a part of a document with spans in it replaced, in order and disjoint."""
    pieces, at = [], part.start
    for start, stop, text in spans:
        pieces += [data[at:start], text]
        at = stop
    return b"".join((*pieces, data[at : part.stop]))
