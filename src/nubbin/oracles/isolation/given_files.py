"""The user's files that a command line names: each run has copies of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from nubbin.oracles.oracle import Candidate

#: A folder of more entries is not shown around the copies of its files: that would take long.
_MAX_ENTRIES: Final = 1000
#: The folder of the copies, around that of the run.
GIVEN: Final = "given"


class GivenFiles:
    """Files of the user's of which each run gets copies, so that it can change none of them.

    A file of `named` is copied to a folder around the run's own, below which it keeps its whole
    path. Around it are links to what lies around the file: a script finds what it imports. What has
    the name of the file with more behind it is copied as well. One of
    `beside` is copied to the run's folder, where it lies as it does in the user's `folder`; the
    folders that are in `folders` are made there, too.
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
        self._around = {each: _entries(each) for path in self.named for each in self._way(path)}

    def lay(self, candidate: Candidate) -> Laid:
        """Make the copies for a run on a candidate; a file that is gone has none."""
        query = candidate.folder
        place = f"{os.path.dirname(query)}/{GIVEN}"  # noqa: PTH120
        for folder in self._folders if candidate.single else ():
            os.makedirs(f"{query}/{folder}", exist_ok=True)  # noqa: PTH103
        copies = {path: f"{place}{path}" for path in self.named}
        copies |= {path: f"{query}/{os.path.relpath(path, self._folder)}" for path in self.beside}
        for path, copy in copies.items():
            os.makedirs(os.path.dirname(copy), exist_ok=True)  # noqa: PTH103, PTH120
            with suppress(OSError):
                shutil.copy2(path, copy)
        for folder, names in self._around.items():
            for name in names:
                entry, shown = f"{folder}/{name}", f"{place}{folder}/{name}"
                with suppress(OSError):
                    if self._belongs_to_a_file(entry):
                        shutil.copy2(entry, shown)
                    else:
                        os.symlink(entry, shown)  # noqa: PTH211
        return Laid(self._folder, query, {path: (at, _state(at)) for path, at in copies.items()})

    def _belongs_to_a_file(self, path: str) -> bool:
        """Tell whether what writes a file may write another one, too: `data.db`, `data.db-wal`."""
        return any(path.startswith(each) and path != each for each in self.named)

    def _way(self, path: str) -> Iterator[str]:
        """Yield the folder of a file, and those above it up to the user's, if that is above it."""
        folder = os.path.dirname(path)  # noqa: PTH120
        yield folder
        while folder.startswith(f"{self._folder}/"):
            folder = os.path.dirname(folder)  # noqa: PTH120
            yield folder


NO_FILES: Final = GivenFiles("")


class Laid:
    """The copies that a run has, each with its place and its state before the run."""

    def __init__(self, folder: str, query: str, copies: dict[str, tuple[str, object]]):
        self._folder = folder
        self._query = query
        self._copies = copies

    def written(self, paths: Collection[str]) -> Iterator[str]:
        """Yield those of some files of the user's that the run has written, or made for itself.

        It has made what lies in its own folder by the name that the file has in the user's.
        """
        for path in paths:
            copy, before = self._copies.get(path, ("", None))
            if (copy and _state(copy) != before) or self.has_made(path):
                yield path

    def has(self, path: str) -> bool:
        """Tell whether anything is at a path in the run's own folder."""
        return os.path.lexists(f"{self._query}/{path}")

    def has_made(self, path: str) -> bool:
        """Tell whether the run's own folder has a file that was not put there."""
        own = os.path.normpath(f"{self._query}/{os.path.relpath(path, self._folder)}")
        is_copy = self._copies.get(path, ("", None))[0] == own
        return not is_copy and own.startswith(f"{self._query}/") and os.path.lexists(own)


def _entries(folder: str) -> tuple[str, ...]:
    with suppress(OSError):
        names = tuple(sorted(each.name for each in Path(folder).iterdir()))
        return names if len(names) <= _MAX_ENTRIES else ()
    return ()


def _state(path: str) -> object:
    with suppress(OSError):
        found = Path(path).stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None
