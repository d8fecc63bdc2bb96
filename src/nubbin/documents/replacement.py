"""Span: one place of a document, and what is to stand there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Replacement(NamedTuple):
    """Bytes `start` to `stop` of a document, and what stands there afterwards."""

    start: int
    stop: int
    text: bytes = b""


def replaced(data: bytes, part: Replacement, spans: Sequence[Replacement]) -> bytes:
    """Return a part of a document with spans in it replaced: in order, disjoint, as they are."""
    pieces, at = [], part.start
    for start, stop, text in spans:
        pieces += [data[at:start], text]
        at = stop
    return b"".join((*pieces, data[at : part.stop]))
