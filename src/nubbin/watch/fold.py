"""Choose the parts of the best candidate to show: those around the first change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from nubbin.text.differences import differences

_MAX_BEFORE_BYTES = 4_000  # shown before the first change
_MAX_AFTER_BYTES = 12_000  # shown after it
_MAX_REMOVED_BYTES = 600  # of each removed part; the middle of a longer one is folded
_NEAR_BYTES = 300  # the most that a cut moves, to the end of a line


class PieceState(Enum):
    """Whether a piece was kept, removed or added."""

    KEPT = "kept"
    REMOVED = "removed"
    NEW = "new"


class Piece(NamedTuple):
    """A piece of a file or of its last version: shown, or folded into a few words."""

    state: PieceState
    data: bytes
    is_shown: bool = True


def pieces(before: bytes, now: bytes) -> list[Piece]:
    """Return the pieces of two versions of a file in order.

    Without the removed ones, they are `now`. Shows at most 20 KB, around the first change. Cuts are
    at the ends of lines, if one is near. Takes as long as `differences`.
    """
    return [piece for piece in _folded(list(_parts(before, now))) if piece.data]


def _parts(before: bytes, now: bytes) -> Iterator[tuple[PieceState, bytes]]:
    """Yield the parts of both versions."""
    at = 0
    for start, stop, text in differences(before, now):
        yield PieceState.KEPT, before[at:start]
        yield PieceState.REMOVED, before[start:stop]
        yield PieceState.NEW, text
        at = stop
    yield PieceState.KEPT, before[at:]


def _folded(parts: Sequence[tuple[PieceState, bytes]]) -> Iterator[Piece]:
    room, rest = _MAX_AFTER_BYTES, list[bytes]()
    for number, (state, data) in enumerate(parts):
        if number == 0 and len(parts) > 1:
            cut = _near(data, len(data) - _MAX_BEFORE_BYTES)
            yield Piece(state, data[:cut], False)
            yield Piece(state, data[cut:])
        elif state is not PieceState.REMOVED:
            cut = _near(data, room)
            yield Piece(state, data[:cut])
            rest.append(data[cut:])
            room = room - cut if cut == len(data) else 0
        elif room:
            half = min(_MAX_REMOVED_BYTES, room) // 2
            begin = _near(data, half) if len(data) > 2 * half else len(data)
            end = max(begin, _near(data, len(data) - half))
            yield Piece(state, data[:begin])
            yield Piece(state, data[begin:end], False)
            yield Piece(state, data[end:])
            room = max(0, room - begin - (len(data) - end))
    yield Piece(PieceState.KEPT, b"".join(rest), False)


def _near(data: bytes, at: int) -> int:
    """Return an offset, or the end of a line shortly before it."""
    if not 0 < at < len(data):
        return max(0, min(at, len(data)))
    return data.rfind(b"\n", max(0, at - _NEAR_BYTES), at) + 1 or at
