"""Span: one place of a document, and what is to stand there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Span(NamedTuple):
    """Bytes `start` to `stop` of a document, and what stands there afterwards."""

    start: int
    stop: int
    text: bytes = b""


def changed(data: bytes, edited: bytes) -> Span:
    """Return the one span that makes `edited` of `data`: all but what both begin and end with."""
    old, new = (np.frombuffer(text, dtype=np.uint8) for text in (data, edited))
    shorter = min(old.size, new.size)
    begin = _alike(old[:shorter], new[:shorter])
    rest = shorter - begin
    end = _alike(old[old.size - rest :][::-1], new[new.size - rest :][::-1])
    return Span(begin, len(data) - end, edited[begin : len(edited) - end])


def _alike(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> int:
    """Return how many elements two arrays of one length have in common from the start."""
    differs = one != other
    first = int(differs.argmax()) if differs.size else 0
    return first if differs.size and differs[first] else differs.size
