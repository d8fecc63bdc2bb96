"""The part of a candidate that is shown: what has just changed, and what is around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nubbin.watch.vanished import Fate, Part

_MAX_BEFORE_BYTES = 4_000  # of what stands before the first change
_MAX_AFTER_BYTES = 12_000  # of what stands after it
_MAX_GONE_BYTES = 600  # of each part that is gone: of longer ones, the middle is folded
_NEAR_BYTES = 300  # a cut moves to the end of a line that is so near


class Piece(NamedTuple):
    """A piece of a part: shown, or folded into a few words."""

    part: Part
    is_shown: bool


def excerpt(parts: Sequence[Part]) -> list[Piece]:
    """Return pieces that make the parts; about 20 KB of them are shown, around the first change.

    Cuts at ends of lines if there are some near. Linear.
    """
    return [piece for piece in _pieces(parts) if piece.part.data]


def _pieces(parts: Sequence[Part]) -> Iterator[Piece]:
    room = _MAX_AFTER_BYTES
    for number, (fate, data) in enumerate(parts):
        if number == 0 and fate is Fate.KEPT and len(parts) > 1:
            cut = _near(data, len(data) - _MAX_BEFORE_BYTES)
            yield Piece(Part(fate, data[:cut]), False)
            yield Piece(Part(fate, data[cut:]), True)
        elif fate is Fate.GONE and len(data) > _MAX_GONE_BYTES:
            begin = _near(data, _MAX_GONE_BYTES // 2)
            end = max(begin, _near(data, len(data) - _MAX_GONE_BYTES // 2))
            yield Piece(Part(fate, data[:begin]), True)
            yield Piece(Part(fate, data[begin:end]), False)
            yield Piece(Part(fate, data[end:]), True)
        else:
            cut = _near(data, room)
            yield Piece(Part(fate, data[:cut]), True)
            yield Piece(Part(fate, data[cut:]), False)
            room -= cut


def _near(data: bytes, at: int) -> int:
    """Return an offset, or the end of a line that is near it and not after it."""
    if not 0 < at < len(data):
        return max(0, min(at, len(data)))
    return data.rfind(b"\n", max(0, at - _NEAR_BYTES), at) + 1 or at
