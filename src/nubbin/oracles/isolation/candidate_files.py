"""Write candidates to disk, and the copies of the user's files that a command line names."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from nubbin.documents.edits import Link

Files = Mapping[str, bytes]
"""Contents by relative posix path, or a `Link`; a single input is `{"small.c": data}`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate on disk."""

    #: The folder of its query.
    folder: str
    #: Its own absolute path, in that folder.
    path: str
    #: Whether it is one file, and not a folder.
    single: bool

    @property
    def relative(self) -> str:
        """Its path relative to the folder of its query, where command lines run."""
        path = os.path.relpath(self.path, self.folder)
        return f"./{path}" if path.startswith("-") else path

    def stdin(self) -> BinaryIO:
        """Open the standard input of a test: a single file, or the null device for a folder."""
        return Path(self.path if self.single else os.devnull).open("rb", buffering=0)


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
                with suppress(FileNotFoundError):
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
        with suppress(FileExistsError):
            os.mkdir(f"{folder}/{each}", dir_fd=dir_fd)


def _remove_empty(folder: str, parent: str, dir_fd: int | None) -> None:
    """Remove `parent` and the folders above it, up to `folder`, if they are empty."""
    with suppress(OSError):
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


#: Larger folders are not linked around the copies of their files, because that would take long.
_MAX_ENTRIES: Final = 1000
#: Larger files are copied once: each run has a hard link to that copy.
_SHARED_BYTES: Final = 1 << 20
#: The folder of a run's copies, around the run's own folder; and beside the runs, of shared copies.
GIVEN: Final = "given"


class GivenFiles:
    """Copies the user's files for each run, so that no run can change them.

    A file of `named` is copied to a folder around the run's own, below which it keeps its absolute
    path. Links around the copy lead to its neighbours, so that a script finds its imports. A
    neighbour whose name begins with the file's name is copied. A file of `beside` is copied to the
    run's folder, where it has the same relative path as in the user's `folder`; the subfolders
    `folders` are made there, too. Runs share the copy of a large file of `named` by hard links. It
    is copied again only after a run has written to it. May be shared by threads.
    """

    def __init__(
        self,
        folder: str,
        named: Collection[str] = (),
        beside: Collection[str] = (),
        folders: Collection[str] = (),
    ):
        self._folder = folder
        self.named = frozenset(named)
        self.beside = frozenset(beside)
        self._folders = folders
        self._lock = threading.Lock()
        self._shared: dict[str, object] = {}  # the states of shared copies, by their paths
        self._around = {each: _entries(each) for path in self.named for each in self._way(path)}

    def copies_for(self, candidate: Candidate) -> Copies:
        """Make the copies for a run on a candidate, except those of files that no longer exist."""
        query = candidate.folder
        around = os.path.dirname(query)
        place, runs = f"{around}/{GIVEN}", os.path.dirname(around)
        for folder in self._folders if candidate.single else ():
            os.makedirs(f"{query}/{folder}", exist_ok=True)
        copies = {path: f"{place}{path}" for path in self.named}
        copies |= {path: f"{query}/{os.path.relpath(path, self._folder)}" for path in self.beside}
        for path, copy in copies.items():
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with suppress(OSError):
                if path in self.named and os.path.getsize(path) > _SHARED_BYTES:
                    self._link(path, f"{runs}/{GIVEN}{path}", copy)
                else:
                    shutil.copy2(path, copy)
        for folder, names in self._around.items():
            for name in names:
                entry, shown = f"{folder}/{name}", f"{place}{folder}/{name}"
                with suppress(OSError):
                    # A named `data.db` may have `data.db-wal` beside it.
                    if any(entry.startswith(path) and entry != path for path in self.named):
                        shutil.copy2(entry, shown)
                    else:
                        os.symlink(entry, shown)
        return Copies(self._folder, query, {path: (at, _state(at)) for path, at in copies.items()})

    def _link(self, path: str, shared: str, copy: str) -> None:
        """Make a hard link to the shared copy of a file, after a new copy if a run changed it."""
        with self._lock:
            if shared not in self._shared or _state(shared) != self._shared[shared]:
                os.makedirs(os.path.dirname(shared), exist_ok=True)
                with suppress(FileNotFoundError):  # earlier runs keep their link to it
                    os.remove(shared)
                shutil.copy2(path, shared)
                self._shared[shared] = _state(shared)
            os.link(shared, copy)

    def _way(self, path: str) -> Iterator[str]:
        """Yield the folder of a file. If it is in the user's, yield all folders up to that."""
        folder = os.path.dirname(path)
        yield folder
        while folder.startswith(f"{self._folder}/"):
            folder = os.path.dirname(folder)
            yield folder


NO_FILES: Final = GivenFiles("")


@dataclass(frozen=True, slots=True)
class Copies:
    """The copies of a run, each with its path and its state before the run."""

    _folder: str
    _query: str
    _copies: dict[str, tuple[str, object]]

    def written(self, paths: Collection[str]) -> Iterator[str]:
        """Yield the files in `paths` that the run has written, or made in its own folder."""
        for path in paths:
            copy, before = self._copies.get(path, ("", None))
            if (copy and _state(copy) != before) or self.has_made(path):
                yield path

    def has(self, path: str) -> bool:
        """Tell whether the run's own folder has a file or folder at a path."""
        return os.path.lexists(f"{self._query}/{path}")

    def has_made(self, path: str) -> bool:
        """Tell whether the run's own folder has a file that nubbin did not copy there."""
        own = os.path.normpath(f"{self._query}/{os.path.relpath(path, self._folder)}")
        is_copy = self._copies.get(path, ("", None))[0] == own
        return not is_copy and own.startswith(f"{self._query}/") and os.path.lexists(own)


def _entries(folder: str) -> tuple[str, ...]:
    with suppress(OSError):
        names = tuple(sorted(os.listdir(folder)))
        return names if len(names) <= _MAX_ENTRIES else ()
    return ()


def _state(path: str) -> object:
    with suppress(OSError):
        found = Path(path).stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None
