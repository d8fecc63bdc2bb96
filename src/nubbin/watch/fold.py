"""What is shown of the best: what has just changed, and what is around it; the rest is folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from nubbin.text.differences import differences

_MAX_BEFORE_BYTES = 4_000  # of what stands before the first change
_MAX_AFTER_BYTES = 12_000  # of what stands after it
_MAX_GONE_BYTES = 600  # of each part that is gone: of longer ones, the middle is folded
_NEAR_BYTES = 300  # a cut moves to the end of a line that is so near


class Fate(Enum):
    """What became of a piece."""

    KEPT = "kept"
    GONE = "gone"
    NEW = "new"


class Piece(NamedTuple):
    """A piece of a file, or of the version before it: shown, or folded into a few words."""

    fate: Fate
    data: bytes
    is_shown: bool = True


def pieces(before: bytes, now: bytes) -> list[Piece]:
    """Return pieces of two versions of a file in order; those that are not gone make `now`.

    At most 20 KB are shown, around the first change. Cuts are at ends of lines if some are near.
    Costs as much as `differences`.
    """
    return [piece for piece in _folded(list(_parts(before, now))) if piece.data]


def _parts(before: bytes, now: bytes) -> Iterator[tuple[Fate, bytes]]:
    """Yield the parts that both versions are made of."""
    at = 0
    for start, stop, text in differences(before, now):
        yield Fate.KEPT, before[at:start]
        yield Fate.GONE, before[start:stop]
        yield Fate.NEW, text
        at = stop
    yield Fate.KEPT, before[at:]


def _folded(parts: Sequence[tuple[Fate, bytes]]) -> Iterator[Piece]:
    room, rest = _MAX_AFTER_BYTES, list[bytes]()
    for number, (fate, data) in enumerate(parts):
        if number == 0 and len(parts) > 1:
            cut = _near(data, len(data) - _MAX_BEFORE_BYTES)
            yield Piece(fate, data[:cut], False)
            yield Piece(fate, data[cut:])
        elif fate is not Fate.GONE:
            cut = _near(data, room)
            yield Piece(fate, data[:cut])
            rest.append(data[cut:])
            room = room - cut if cut == len(data) else 0
        elif room:
            half = min(_MAX_GONE_BYTES, room) // 2
            begin = _near(data, half) if len(data) > 2 * half else len(data)
            end = max(begin, _near(data, len(data) - half))
            yield Piece(fate, data[:begin])
            yield Piece(fate, data[begin:end], False)
            yield Piece(fate, data[end:])
            room = max(0, room - begin - (len(data) - end))
    yield Piece(Fate.KEPT, b"".join(rest), False)


def _near(data: bytes, at: int) -> int:
    """Return an offset, or the end of a line that is near it and not after it."""
    if not 0 < at < len(data):
        return max(0, min(at, len(data)))
    return data.rfind(b"\n", max(0, at - _NEAR_BYTES), at) + 1 or at
