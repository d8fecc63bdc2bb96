"""Write a candidate to disk as files, and update it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath

from nubbin.documents.edits import Link

Files = Mapping[str, bytes]
"""Contents by relative posix path, or a `Link`; a single input is `{"small.c": data}`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The user's input that candidates are made from: the file or folder `name` in `folder`.

    `reachable` are the paths of folders inside it that are not part of it, but that a test may use.
    """

    folder: str
    name: str
    reachable: frozenset[str] = frozenset()

    def target(self, path: str, link: Link) -> str:
        """Return the target of a link in a candidate.

        A relative target outside the input becomes absolute. An absolute target inside the input
        becomes relative, so that it is in the candidate.
        """
        target = os.fsdecode(link)
        if os.path.isabs(target) and self._has(within := os.path.relpath(target, self.folder)):
            return os.path.relpath(within, os.path.dirname(path) or ".")
        leads_to = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if os.path.isabs(target) or self._has(leads_to):
            return target
        return os.path.normpath(f"{self.folder}/{leads_to}")

    def target_at(self, place: str, path: str, link: Link) -> str:
        """Return the target of a link in a result at the absolute path `place`.

        It is the link's own target if that leads to the same file as in a candidate.
        """
        target, shown = os.fsdecode(link), self.target(path, link)
        folder = os.path.dirname(path)
        from_there = os.path.join(place, os.path.relpath(folder or ".", self.name))
        if os.path.isabs(shown):
            leads_to = shown
        else:  # into the candidate, perhaps on a way through the folder around it
            inside = os.path.relpath(os.path.normpath(f"{folder or '.'}/{shown}"), self.name)
            leads_to, shown = f"{place}/{inside}", os.path.relpath(f"{place}/{inside}", from_there)
        is_same = os.path.normpath(os.path.join(from_there, target)) == os.path.normpath(leads_to)
        return target if is_same else shown

    def _has(self, path: str) -> bool:
        """Tell whether a normal path from the folder is the input's path, or inside the input."""
        if self.name == ".":
            return path.partition("/")[0] != ".."
        return path == self.name or path.startswith(f"{self.name}/")


def write_files(
    files: Files,
    folder: str,
    executables: Collection[str] = (),
    origin: Origin | None = None,
    *,
    dir_fd: int | None = None,
) -> None:
    """Write a candidate's files into a folder, and make the folders that they need.

    The files of `executables` are executable. With an `origin`, links lead to the same files as the
    user's links. Nothing is written through a link. As in `os`, a relative path begins in the open
    folder `dir_fd`. Raises ValueError for a path outside the folder, and OSError if the system
    cannot write a file.
    """
    made = set[str]()
    try:
        for path, data in files.items():
            _make_folders(folder, _parent(path), made, dir_fd)
            if not isinstance(data, Link):
                mode = 0o777 if path in executables else 0o666
                _write(f"{folder}/{path}", data, mode, dir_fd)
        for path, data in files.items():  # links come last, so nothing is written through one
            if isinstance(data, Link):
                target = os.fsdecode(data) if origin is None else origin.target(path, data)
                os.symlink(target, f"{folder}/{path}", dir_fd=dir_fd)
        if origin is not None:
            for path in origin.reachable:
                # The folder around it may not be in the candidate.
                with contextlib.suppress(FileNotFoundError):
                    os.symlink(f"{origin.folder}/{path}", f"{folder}/{path}", dir_fd=dir_fd)
    except OSError as error:
        raise OSError(f"no candidate can be written to {folder}: {error}") from error


def update(
    folder: str, before: Files, after: Files, *, dir_fd: int | None = None
) -> Collection[str]:
    """Change a folder from the files `before` to the files `after`; return the paths written.

    Files that are equal take no time. Otherwise like `write_files`.
    """
    links = {path for path, data in after.items() if isinstance(data, Link)}
    if links and any(not links.isdisjoint(map(str, PurePosixPath(path).parents)) for path in after):
        raise ValueError("a file would lie in a link")
    written = {path: data for path, data in after.items() if before.get(path) != data}
    for path in before:
        if path in written or path not in after:
            os.unlink(f"{folder}/{path}", dir_fd=dir_fd)
            _remove_empty(folder, _parent(path), dir_fd)
    write_files(written, folder, dir_fd=dir_fd)
    return written


def _write(place: str, data: bytes, mode: int, dir_fd: int | None) -> None:
    # Once per query, and cheaper than a file object.
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=dir_fd)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _make_folders(folder: str, parent: str, made: set[str], dir_fd: int | None) -> None:
    """Make `parent` and the folders above it, except those `made`; there may be a thousand."""
    missing = [*takewhile(lambda each: each not in made, with_folders(parent))]
    made.update(missing)
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(f"{folder}/{each}", dir_fd=dir_fd)


def _remove_empty(folder: str, parent: str, dir_fd: int | None) -> None:
    """Remove `parent` and the folders above it, up to `folder`, if they are empty."""
    with contextlib.suppress(OSError):
        for each in with_folders(parent):
            os.rmdir(f"{folder}/{each}", dir_fd=dir_fd)


def with_folders(path: str) -> Iterator[str]:
    """Yield a relative path and the folders that contain it, each of which may be a link."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _parent(path: str) -> str:
    """Return the folder part of a relative path; raises ValueError if it leads out of a folder."""
    parent, _, name = path.rpartition("/")
    if path.startswith("/") or name in {"", "."} or ".." in path.split("/"):
        raise ValueError(f"{path!r} is not a relative path inside the candidate's folder")
    return parent
