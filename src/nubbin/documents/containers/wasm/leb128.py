"""Read and write the numbers of WebAssembly: LEB128, signed and unsigned."""

from __future__ import annotations

from nubbin.documents.packing import Bytes

_MAX_BITS = 64


class Reader(Bytes):
    """Reads numbers, too; raises ValueError if the bytes end too soon."""

    def byte(self) -> int:
        """Return the next byte."""
        return self.take(1)[0]

    def sized(self) -> bytes:
        """Read a number, and return as many bytes after it."""
        return self.take(self.number())

    def number(self) -> int:
        """Return an unsigned number; raises ValueError for more than 64 bits."""
        number = shift = 0
        while (byte := self.byte()) >= 0x80 and shift < _MAX_BITS:
            number |= (byte & 0x7F) << shift
            shift += 7
        if shift >= _MAX_BITS:
            raise ValueError("a number that is too long")
        return number | byte << shift

    def signed(self) -> int:
        """Return a signed number."""
        start = self.at
        number = self.number()
        bits = 7 * (self.at - start)
        return number - (1 << bits) if number >> (bits - 1) else number


def leb(number: int) -> bytes:
    """Write an unsigned number."""
    low = number & 0x7F
    return bytes([low]) if number < 0x80 else bytes([low | 0x80]) + leb(number >> 7)


def signed_leb(number: int) -> bytes:
    """Write a signed number."""
    low, number = number & 0x7F, number >> 7
    if number == -(low >> 6):
        return bytes([low])
    return bytes([low | 0x80]) + signed_leb(number)


def sized(data: bytes) -> bytes:
    """Write bytes after their number."""
    return leb(len(data)) + data
