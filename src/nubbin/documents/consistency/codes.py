"""The ways in which files write numbers."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Literal

import numpy as np

from nubbin.documents.splice import Offsets


class Code(IntEnum):
    """A way to write a number that is not negative."""

    DECIMAL = 0
    LEB128 = 1  # seven bits a byte, the lowest first: in WebAssembly, DWARF and protobuf
    U8 = 2
    U16_BIG = 3
    U16_LITTLE = 4
    U32_BIG = 5
    U32_LITTLE = 6
    HEX = 7
    ASN1 = 8  # one byte if under 128; otherwise 128 plus the number of bytes, and these bytes
    PADDED = 9  # digits after spaces, in a fixed width

    def read(self, data: bytes, at: int) -> tuple[int, int] | None:
        """Return the number at an offset, and where it ends; None if there is none."""
        if self is Code.LEB128:
            return _leb128(data, at)
        if self in _DIGITS:
            base, digits = _DIGITS[self]
            found = digits.match(data, at)
            return (int(found[0], base), found.end()) if found else None
        if self is Code.ASN1:
            return _asn1(data, at)
        width, order = _FIXED[self]
        stop = at + width
        return (int.from_bytes(data[at:stop], order), stop) if stop <= len(data) else None

    def everywhere(self, data: bytes) -> tuple[Offsets, Offsets]:
        """Return the number at each offset, and where it ends; the end is 0 where there is none.

        Not for numbers in digits. Linear, without a loop over the bytes.
        """
        size = len(data)
        padded, at = data + bytes(_MAX_BYTES), np.arange(size)
        if self in _FIXED:
            width, order = _FIXED[self]
            values = _at_all(padded, f"{'<' if order == 'little' else '>'}u{width}", size)
            return values, np.where(at + width <= size, at + width, 0)
        byte = _at_all(padded, "u1", size + _MAX_BYTES)
        stops = np.where(byte[:size] < 0x80, at + 1, 0)
        long = np.flatnonzero(stops == 0)
        if self is Code.LEB128:
            values = byte[:size] & 0x7F
            for n in range(1, _MAX_BYTES):
                more = byte[long + n]
                values[long] += (more & 0x7F) << 7 * n
                ended = long[(more < 0x80) & (long + n < size)]
                stops[ended], long = ended + n + 1, long[more >= 0x80]
            return values, stops
        values, after = byte[:size].copy(), _at_all(padded, ">u4", size + 1)
        for n in range(1, _MAX_ASN1_BYTES + 1):
            sized = long[(byte[long] == 0x80 | n) & (long + n < size)]
            values[sized], stops[sized] = after[sized + 1] >> 32 - 8 * n, sized + n + 1
        return values, stops

    def number(self, written: bytes) -> int:
        """Return the number that these bytes write; raises ValueError if they write none."""
        if (found := self.read(written, 0)) is None:
            raise ValueError(f"not a number: {written!r}")
        return found[0]

    def write(self, value: int, before: bytes) -> bytes | None:
        """Return a number as bytes, padded like `before`; None if it does not fit."""
        if value < 0:
            return None
        if self is Code.PADDED:
            return b"%*d" % (len(before), value)
        if self in _DIGITS:
            width = len(before) if before[:1] == b"0" else 1
            return (b"%0*x" if self is Code.HEX else b"%0*d") % (width, value)
        if self is Code.LEB128:
            is_padded = len(before) > 1 and not before[-1]
            groups = max(-(-value.bit_length() // 7), 1, len(before) if is_padded else 1)
            low = (value >> 7 * group & 0x7F | 0x80 for group in range(groups - 1))
            return bytes((*low, value >> 7 * (groups - 1)))
        if self is Code.ASN1:
            return _as_asn1(value)
        width, order = _FIXED[self]
        return value.to_bytes(width, order) if value < 256**width else None


#: The codes of numbers in bytes: of a fixed width, and of as few bytes as there can be.
WIDE = (Code.U32_LITTLE, Code.U32_BIG, Code.U16_LITTLE, Code.U16_BIG)
NARROW = (Code.LEB128, Code.U8)

_DIGITS = {
    Code.DECIMAL: (10, re.compile(rb"[0-9]+")),
    Code.PADDED: (10, re.compile(rb" *[0-9]+")),
    Code.HEX: (16, re.compile(rb"[0-9A-Fa-f]+")),
}

_MAX_BYTES, _MAX_ASN1_BYTES = 5, 4  # of LEB128, and of ASN.1 after the first


_FIXED: dict[Code, tuple[int, Literal["big", "little"]]] = {
    Code.U8: (1, "big"),
    Code.U16_BIG: (2, "big"),
    Code.U16_LITTLE: (2, "little"),
    Code.U32_BIG: (4, "big"),
    Code.U32_LITTLE: (4, "little"),
}
#: The bytes of a number of a fixed width.
WIDTHS = {code: width for code, (width, _) in _FIXED.items()}


def _at_all(data: bytes, form: str, size: int) -> Offsets:
    return np.ndarray(size, form, data, strides=1).astype(np.int64)


def _leb128(data: bytes, at: int) -> tuple[int, int] | None:
    value = 0
    for group, byte in enumerate(data[at : at + _MAX_BYTES]):
        value |= (byte & 0x7F) << 7 * group
        if byte < 0x80:
            return value, at + group + 1
    return None


def _asn1(data: bytes, at: int) -> tuple[int, int] | None:
    if at >= len(data) or data[at] < 0x80:
        return (data[at], at + 1) if at < len(data) else None
    stop = at + 1 + (data[at] & 0x7F)
    is_read = at + 1 < stop <= min(at + 1 + _MAX_ASN1_BYTES, len(data))
    return (int.from_bytes(data[at + 1 : stop], "big"), stop) if is_read else None


def _as_asn1(value: int) -> bytes | None:
    if value < 0x80:
        return bytes([value])
    more = value.to_bytes(-(-value.bit_length() // 8), "big")
    return bytes([0x80 | len(more)]) + more if len(more) <= _MAX_ASN1_BYTES else None
