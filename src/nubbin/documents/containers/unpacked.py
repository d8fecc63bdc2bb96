"""What every kind of container gives and takes: members by name, and how they are packed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: The contents of members by their names, in the order in which they lie in the container.
Members = Mapping[str, bytes]


class NotUnpacked(Exception):
    """A file is not a container of this kind, is damaged, or holds more than is allowed."""


class NotPacked(Exception):
    """Members that no container of this kind can hold."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A container taken apart.

    `pack` makes one of the members that are left, whatever their contents are by now, with counts,
    offsets and checksums right. It may raise NotPacked. Names are labels: nothing is ever written
    to a path that they spell.
    """

    members: Members
    pack: Callable[[Members], bytes]


def inflated(data: bytes, limit: int, wbits: int = zlib.MAX_WBITS) -> bytes:
    """Return deflated data of at most `limit` bytes; raises NotUnpacked."""
    unpacker = zlib.decompressobj(wbits)
    try:
        text = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise NotUnpacked(str(error)) from error
    if len(text) > limit or not unpacker.eof:
        raise NotUnpacked("too large, or cut short")
    return text


def named_apart(names: list[str]) -> list[str]:
    """Return the names, with a number before each that has been there before."""
    seen: set[str] = set()
    apart = []
    for number, name in enumerate(names):
        apart.append(f"{number}/{name}" if name in seen else name)
        seen.add(apart[-1])
    return apart
