"""Packing: take containers among the files of a document apart, and pack them again."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nubbin.documents.edits import File
from nubbin_core.late import late

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


#: Containers are taken apart until their members have this many bytes.
MAX_UNPACKED_BYTES = 256 << 20
#: The most containers inside of each other that are taken apart.
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class _Container:
    """A file taken apart: `names` has the name of each member by its path in the document.

    `original` has the bytes of the file; None if it is packed again in any case.
    """

    path: str
    unpacked: Unpacked
    names: Mapping[str, str]
    original: bytes | None

    def pack(self, members: Mapping[str, bytes]) -> bytes:
        """Return the file, with its original bytes if no member has changed."""
        left = {self.names[path]: data for path, data in members.items()}
        if self.original is not None and left == self.unpacked.members:
            return self.original
        return self.unpacked.pack(left)


@dataclass(frozen=True, slots=True)
class Packing:
    """Makes the files on disk from those of a document; containers around others come first.

    The path of a member is the path of its container, a slash and its name. A container without
    members does not exist, like a folder without files.
    """

    containers: tuple[_Container, ...]

    def again(self) -> Packing:
        """Return a packing that packs every container again, also the unchanged ones."""
        return Packing(tuple(replace(each, original=None) for each in self.containers))

    def members_by_container(self) -> dict[str, list[str]]:
        """Return the paths of all files in each container, also those in containers in it."""
        found: dict[str, list[str]] = {}
        for each in reversed(self.containers):
            found[each.path] = [deep for path in each.names for deep in found.get(path, [path])]
        return dict(reversed(found.items()))

    def pack(self, files: Iterable[File]) -> tuple[File, ...]:
        """Return the files on disk, in the order of their paths; raises NotPacked."""
        contents = {file.path: file.data for file in files}
        for container in reversed(self.containers):
            here = [path for path in container.names if path in contents]
            if here:
                contents[container.path] = container.pack({p: contents.pop(p) for p in here})
        ordered = sorted(contents.items(), key=lambda item: item[0].split("/"))
        return tuple(File(*pair) for pair in ordered)


def taken_apart(files: Sequence[File], depth: int) -> tuple[tuple[File, ...], Packing | None]:
    """Take the containers among files apart, and those in them, down to a depth.

    Returns the files, with members instead of containers, and how to pack these again; None if
    there is no container.
    """
    taking = _TakingApart()
    apart = tuple(taking.files(files, depth))
    return apart, Packing(tuple(taking.containers)) if taking.containers else None


class _TakingApart:
    def __init__(self) -> None:
        self.containers: list[_Container] = []
        self._left = MAX_UNPACKED_BYTES
        self._paths: set[str] = set()

    def files(self, files: Sequence[File], depth: int) -> Iterator[File]:
        self._paths.update(file.path for file in files)
        for file in files:
            members = self._members(file) if depth else []
            yield from self.files(members, depth - 1) if members else (file,)

    def _members(self, file: File) -> list[File]:
        found = None if file.is_link else _unpacked(file, self._left)
        if found is None:
            return []
        names = {f"{file.path}/{name}": name for name in found.members}
        size = sum(map(len, found.members.values()))
        # A file may already have the path of a member.
        if size > self._left or names.keys() & self._paths:
            return []
        if names:
            self._left -= size
            self.containers.append(_Container(file.path, found, names, file.data))
        return [File(path, found.members[name]) for path, name in names.items()]


# -- the kinds of containers ---------------------------------------------------------------------

_HERE = "nubbin.documents.containers"

#: The first bytes of each kind, and the function that takes one apart. Its number limits the bytes
#: to which compressed members unpack.
_KINDS: Final[tuple[tuple[re.Pattern[bytes], Callable[[File, int], Unpacked]], ...]] = (
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), late(f"{_HERE}.zip_archive:unpack")),
    (re.compile(rb"\x1f\x8b|BZh|\xfd7zXZ\0|\x28\xb5\x2f\xfd"), late(f"{_HERE}.streams:unpack")),
    (re.compile(rb"(?s).{257}ustar"), late(f"{_HERE}.tar_archive:unpack")),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), late(f"{_HERE}.png_image:unpack")),
    (re.compile(rb"%PDF-"), late(f"{_HERE}.pdf_document:unpack")),
    (re.compile(rb"(?s)\xca\xfe\xba\xbe..\0[\x2d-\xff]"), late(f"{_HERE}.java_class:unpack")),
    (re.compile(rb"\0asm\x01\0\0\0"), late(f"{_HERE}.wasm.module:unpack")),
    (re.compile(rb"SQLite format 3\0"), late(f"{_HERE}.sqlite_database:unpack")),
)


def _unpacked(file: File, limit: int) -> Unpacked | None:
    """Take apart a container with at most `limit` bytes in it; None for any other file.

    The contents decide which kind it is, and not the name.
    """
    for sign, unpack in _KINDS:
        if sign.match(file.data):
            try:
                return unpack(file, limit)
            except NotUnpacked:
                return None
    return None


# -- what several kinds need ------------------------------------------------------


class Bytes:
    """Reads bytes from their start; raises ValueError if they end too soon or a size is below 0."""

    def __init__(self, data: bytes):
        self.at = 0
        self._data = data

    def __bool__(self) -> bool:
        return self.at < len(self._data)

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        self.at += size
        if size < 0 or self.at > len(self._data):
            raise ValueError("cut short, or of a negative size")
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
