"""The interface of all kinds of containers: members by name, and how to pack them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: The contents of members by their names, in the order of the container.
Members = Mapping[str, bytes]


class NotUnpacked(Exception):
    """A file is not a container of this kind, is damaged, or contains more than is allowed."""


class NotPacked(Exception):
    """No container of this kind can hold these members."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A container taken apart.

    `pack` makes a container from the members that are kept, with any contents, and with correct
    counts, offsets and checksums. It may raise NotPacked. Names are labels: nothing is ever written
    to a path that they spell.
    """

    members: Members
    pack: Callable[[Members], bytes]


class Bytes:
    """Reads bytes from their start; raises ValueError if they end too soon."""

    def __init__(self, data: bytes):
        self.at = 0
        self._data = data

    def __bool__(self) -> bool:
        return self.at < len(self._data)

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        self.at += size
        if self.at > len(self._data):
            raise ValueError("cut short")
        return self._data[self.at - size : self.at]

    def rest(self) -> bytes:
        """Return all remaining bytes."""
        return self.take(len(self._data) - self.at)


def inflated(data: bytes, limit: int, wbits: int = zlib.MAX_WBITS) -> bytes:
    """Return inflated data of at most `limit` bytes; raises NotUnpacked."""
    unpacker = zlib.decompressobj(wbits)
    try:
        text = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise NotUnpacked(str(error)) from error
    if len(text) > limit or not unpacker.eof:
        raise NotUnpacked("too large, or cut short")
    return text


def named_apart(names: list[str]) -> list[str]:
    """Return the names, with a number before each that repeats an earlier one."""
    seen: set[str] = set()
    apart = []
    for number, name in enumerate(names):
        apart.append(f"{number}/{name}" if name in seen else name)
        seen.add(apart[-1])
    return apart
