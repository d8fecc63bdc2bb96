"""Temporary folders on disk: a root for each oracle, and in it a folder for each query."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

from nubbin.disk import Folder
from nubbin.oracles.isolation import roots
from nubbin.oracles.isolation.removal import is_there, remove_entries, remove_folders_with
from nubbin.oracles.isolation.roots import MARK, Root

# Paths have the same length: a tool that truncates a long text counts their characters.
_NAME_DIGITS = 6
_INNER = "query"  # the folder of a query, in a folder of its own
_MEMORY = "/dev/shm"
_MIN_FREE_BYTES = 512 << 20  # with less memory, use the disk: a container often has 64 MiB


class Workspace:
    """A root folder with an empty folder for each query.

    `close` removes everything, including all that a test left. If this process ends before that,
    `abandoned` finds the root. May be shared by threads.
    """

    def __init__(self, root: Root):
        self.root = root.path
        self._roots = [root]  # several if a test removed the root, and it was made again
        self._names = itertools.count()
        self._lock = threading.Lock()  # held while anything is made
        self._is_closed = False

    @classmethod
    def create(cls, parent: Path | None = None) -> Workspace:
        """Make a workspace in `parent`; by default in TMPDIR if set, otherwise in memory."""
        folder = parent or _memory() or tempfile.gettempdir()
        return cls(roots.make(os.path.realpath(folder)))

    @classmethod
    def abandoned(cls, parent: Path | None = None) -> Iterator[Workspace]:
        """Yield the workspaces of killed processes; the caller closes them.

        Looks in `parent`, by default in memory and on disk: a killed run may have filled the
        memory, so that the next one is on disk.
        """
        for folder in [parent] if parent else [_MEMORY, tempfile.gettempdir()]:
            for root in roots.abandoned(os.path.realpath(folder)):
                yield cls(root)

    def new_folder(self) -> str:
        """Make an empty folder for a query and return its path, which is never used again.

        It is alone in its parent, so `rm -r ../*` in a test removes no other query's. A path is not
        used again after its removal, because some tools remember paths. Raises CancelledError after
        `close`, which another thread may have called; NotOurs if a test has removed the root, and
        another user has made it; FileNotFoundError if a test removes it meanwhile.
        """
        with self._lock:
            while True:
                if self._is_closed:
                    raise CancelledError
                name = f"{next(self._names):0{_NAME_DIGITS}}"
                with suppress(FileExistsError):  # a test has made this folder
                    try:
                        os.mkdir(name, dir_fd=self._roots[-1].descriptor)
                    except FileNotFoundError:  # a test has removed the root
                        self._make_root_again()
                        os.mkdir(name, dir_fd=self._roots[-1].descriptor)
                    os.mkdir(f"{name}/{_INNER}", dir_fd=self._roots[-1].descriptor)
                    return f"{self.root}/{name}/{_INNER}"

    def has(self, folder: str) -> bool:
        """Tell whether the parent of a query's folder still exists."""
        return is_there(folder.split("/")[-2], self._roots[-1].descriptor)

    def remove_folder(self, folder: str, candidate: str | None = None) -> None:
        """Remove the folder of a query whose processes have all ended.

        `candidate` is the path of the only file that nubbin wrote there; None if there were more.
        If the test added nothing, as most do, the folder is not listed. `close` tries again to
        remove what the system refuses to remove now.
        """
        root, name = self._roots[-1].descriptor, folder.split("/")[-2]
        file = candidate and os.path.basename(candidate)  # noqa: PTH119
        if not file or not remove_folders_with(root, [name, _INNER], file):
            remove_entries(root, name)

    def close(self) -> None:
        """Remove the root and everything in it.

        Shows a RuntimeWarning if the system refuses to remove something.
        """
        with self._lock:
            self._is_closed = True
        error = None
        while self._roots:
            error = self._remove_root(self._roots.pop().descriptor) or error
        if error is not None:
            warnings.warn(
                f"The temporary folder {self.root} could not be removed: {error.strerror}: "
                f"{error.filename!r}, which a test left there. Remove it by hand.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _remove_root(self, root: int) -> OSError | None:
        """Remove an open root and everything in it; return the error, if any."""
        try:
            os.fchmod(root, 0o700)  # a test may have locked it
            error = remove_entries(root, *(name for name in os.listdir(root) if name != MARK))
            if error is None:
                # The mark is last: if nubbin is killed here, the next nubbin recognises the root.
                remove_entries(root, MARK)
                os.rmdir(self.root)  # noqa: PTH106
        except FileNotFoundError:  # a test has removed it
            return None
        except OSError as refused:
            return refused
        finally:
            os.close(root)
        return error

    def _make_root_again(self) -> None:
        try:
            os.makedirs(self.root, mode=0o700)  # noqa: PTH103
        except FileExistsError:  # made by a test, or by another user, who waits for candidates
            Folder(Path(self.root)).close()
        # The old descriptor stays open, because other threads may be using it.
        self._roots.append(roots.claim(self.root))


def _memory() -> str | None:
    """Return a file system in memory that has room and runs programs; None if there is none.

    Returns None, too, if the user has set TMPDIR.
    """
    if os.environ.get("TMPDIR"):
        return None
    try:
        system = os.statvfs(_MEMORY)
    except OSError:
        return None
    free = system.f_bavail * system.f_frsize
    # A test may compile the candidate and run the result in its folder.
    runs = not system.f_flag & os.ST_NOEXEC
    writable = os.access(_MEMORY, os.W_OK | os.X_OK)
    return _MEMORY if runs and free >= _MIN_FREE_BYTES and writable else None
