"""Token glue: which bytes would become another token if they came to stand side by side."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

WORD_BYTES = bytes(
    byte for byte in range(256) if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$"
)
BLANKS = b" \t\f\v"
LINE_ENDS = b"\r\n"
# Two of the same make another mark, and so do the two that open or close a comment.
_DOUBLED = b"+-&|=<*/"


def _table(chosen: bytes) -> Mask:
    table = np.zeros(256, dtype=np.bool_)
    table[list(chosen)] = True
    return table


IS_WORD = _table(WORD_BYTES)
IS_BLANK = _table(BLANKS)
IS_LINE_END = _table(LINE_ENDS)
_IS_DOUBLED = _table(_DOUBLED)
_GLUES = (IS_WORD[:, None] & IS_WORD) | (np.eye(256, dtype=np.bool_) & _IS_DOUBLED)
_GLUES[ord("/"), ord("*")] = _GLUES[ord("*"), ord("/")] = True


def glues(left: Bytes, right: Bytes) -> Mask:
    """Tell, pair by pair, whether two bytes would run together into another token."""
    return _GLUES[left, right]


def glued(left: int, right: int) -> bool:
    """Tell whether two bytes would run together into another token."""
    return bool(_GLUES[left, right])
