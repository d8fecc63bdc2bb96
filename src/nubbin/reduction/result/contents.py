"""Read the files at the place of a result, and tell whether they have changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from nubbin.disk import beginning
from nubbin.documents.document import Document
from nubbin.documents.file import File, Link
from nubbin.documents.stream import MAX_BYTES
from nubbin.oracles.isolation.candidate_files import Origin
from nubbin_core.argument_types import StrPath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

#: Bytes by path below the place, a `Link` for a link; `.` is the place itself. None for anything
#: that is neither a file nor a link, or cannot be read.
Contents = Mapping[str, bytes | None]

#: The result of `lstat` for everything at a place: it differs after any change but the fastest.
Stamps = Mapping[str, tuple[int, ...]]


def contents_of(document: Document, place: Path, root: Path) -> dict[str, bytes]:
    """Return the contents of a place after a document that was read in `root` is written there.

    Links lead to the same files as in a candidate.
    """
    origin = Origin(os.fspath(root.absolute()), document.name)
    at, inside = os.fspath(place.absolute()), f"{document.name}/"
    return {
        "." if path == document.name else path.removeprefix(inside): data
        if not isinstance(data, Link)
        else Link(os.fsencode(origin.target_at(at, path, data)))
        for path, data in document.contents.items()
    }


def document_of(name: str, contents: Contents) -> Document:
    """Return the document of this name that has these files; anything else is left out."""
    files = ((Path(name, path), data) for path, data in contents.items() if data is not None)
    return Document(name, tuple(File(path.as_posix(), data) for path, data in sorted(files)))


def contents_at(
    place: StrPath, *, dir_fd: int | None = None, most: int = MAX_BYTES
) -> Contents | None:
    """Read the contents of a place, without following links; None if there is nothing.

    If the files have more than `most` bytes together, none of them is read, because any user may
    have put them there. As in `os`, a relative path begins in the open folder `dir_fd`.
    """
    found = dict(_entries(place, dir_fd))
    if not found:
        return None
    if sum(seen.st_size for seen in found.values() if stat.S_ISREG(seen.st_mode)) > most:
        most = -1
    return {
        path: _data(_below(place, path), seen.st_mode, dir_fd, most)
        for path, seen in found.items()
        if not stat.S_ISDIR(seen.st_mode)
    }


def lie_at(place: StrPath, contents: Contents, *, dir_fd: int | None = None) -> bool:
    """Tell whether a place has these contents; reads no more bytes than they have."""
    most = sum(len(data) for data in contents.values() if data is not None)
    return contents_at(place, dir_fd=dir_fd, most=most) == contents


def stamps_at(place: StrPath, *, dir_fd: int | None = None) -> Stamps:
    """Return the stamps of everything at a place; empty if there is nothing."""
    return {path: _stamp(seen) for path, seen in _entries(place, dir_fd)}


def without_ctime(stamps: Stamps) -> Stamps:
    """Return stamps without the time that renaming the place changes."""
    return {path: stamp[:-1] for path, stamp in stamps.items()}


def _entries(place: StrPath, dir_fd: int | None) -> Iterator[tuple[str, os.stat_result]]:
    try:
        seen = os.stat(place, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return
    yield ".", seen
    # Not by os.walk, which fails on folders a thousand levels deep.
    folders = ["."] if stat.S_ISDIR(seen.st_mode) else []
    while folders:
        above = folders.pop()
        folder = os.open(_below(place, above), _FOLDER, dir_fd=dir_fd)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = entry.name if above == "." else f"{above}/{entry.name}"
                    yield path, entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)
        finally:
            os.close(folder)


def _below(place: StrPath, path: str) -> str:
    return os.fspath(place) if path == "." else f"{os.fspath(place)}/{path}"


def _stamp(seen: os.stat_result) -> tuple[int, ...]:
    kind = stat.S_IFMT(seen.st_mode)
    if kind == stat.S_IFDIR:  # its entries have stamps of their own
        return (kind,)
    return (kind, seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


def _data(path: str, mode: int, dir_fd: int | None, most: int) -> bytes | None:
    if stat.S_ISLNK(mode):
        with suppress(OSError):
            return Link(os.fsencode(os.readlink(path, dir_fd=dir_fd)))
    return beginning(path, most, dir_fd=dir_fd) if stat.S_ISREG(mode) and most >= 0 else None
