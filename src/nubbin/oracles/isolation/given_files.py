"""Give each run its own copies of the user's files that a command line names."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nubbin.oracles.oracle import Candidate

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
