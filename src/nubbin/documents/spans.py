"""Span: one place of a document, and what is to stand there."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Bytes `start` to `stop` of a document, and what stands there afterwards."""

    start: int
    stop: int
    text: bytes = b""
