"""Temporary folders: one for an oracle, in it one for each query, in memory where possible."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from nubbin.oracles import roots
from nubbin.oracles.removal import remove, remove_with_file
from nubbin.oracles.roots import MARK, Root

_MEMORY = "/dev/shm"
_ENOUGH = 512 << 20  # bytes free in memory, or we stay on disk: a container often has 64 MiB


class Workspace:
    """A root folder of its own, and in it a fresh folder for each query.

    May be shared by threads. `close` removes everything, whatever was left in it; if this process
    ends without that, `abandoned` finds it.
    """

    def __init__(self, parent: Path | None = None):
        place = parent or _memory() or tempfile.gettempdir()
        self._take(roots.new(os.path.realpath(place)))

    def _take(self, root: Root) -> None:
        self.root = root.path
        self._roots = [root]  # more than one if a test removes the root: it is made again
        self._names = itertools.count()
        self._lock = threading.Lock()

    @classmethod
    def abandoned(cls, parent: Path | None = None) -> Iterator[Workspace]:
        """Yield the workspaces of processes that were killed, to be closed by us.

        They lie in `parent`, or wherever workspaces lie by default: a killed run may have filled
        the memory, so that the next one is on disk.
        """
        for place in [parent] if parent else [_MEMORY, tempfile.gettempdir()]:
            for root in roots.abandoned(os.path.realpath(place)):
                left = cls.__new__(cls)
                left._take(root)
                yield left

    def fresh(self) -> str:
        """Make an empty folder for a query and return its path, which is never used again.

        Not even after the folder is gone: some tools remember what they saw at a path.
        """
        folder = f"{self.root}/{next(self._names)}"
        try:
            os.mkdir(folder)  # noqa: PTH102 - once a query, and faster
        except FileNotFoundError:  # a test has removed more than was its own
            self._make_root_again()
            os.mkdir(folder)  # noqa: PTH102
        return folder

    def clear(self, folder: str, candidate: str | None) -> None:
        """Remove the folder of a query, in which no process runs any more.

        `candidate` is the path of the only file that was put there, if it was only one: a
        test that left it at that, as most do, is cleared away without a look around. What does
        not go now is tried again by `close`.
        """
        root, name = self._roots[-1].descriptor, os.path.basename(folder)  # noqa: PTH119
        file = candidate and os.path.basename(candidate)  # noqa: PTH119
        if not file or not remove_with_file(root, name, file):
            remove(root, name)

    def close(self) -> None:
        """Remove the root and everything in it; warn of what the system does not let go.

        The warning is a RuntimeWarning, which Python shows unless told otherwise.
        """
        trouble = None
        while self._roots:
            trouble = self._removed(self._roots.pop().descriptor) or trouble
        if trouble is not None:
            warnings.warn(
                f"The temporary folder {self.root} could not be removed: {trouble.strerror}: "
                f"{trouble.filename!r}, which a test left there. Remove it by hand.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _removed(self, root: int) -> OSError | None:
        """Remove all in an open root, and the root; return what went wrong, if anything did."""
        try:
            os.fchmod(root, 0o700)  # a test may have locked it
            trouble = remove(root, *(name for name in os.listdir(root) if name != MARK))
            if trouble is None:
                remove(root, MARK)  # last: who is killed on the way leaves a root that is known
                os.rmdir(self.root)  # noqa: PTH106
        except FileNotFoundError:  # a test has removed it
            return None
        except OSError as error:
            return error
        finally:
            os.close(root)
        return trouble

    def _make_root_again(self) -> None:
        with self._lock, suppress(FileExistsError):  # or another thread was quicker
            os.makedirs(self.root, mode=0o700)  # noqa: PTH103
            # The old descriptor stays open, for other threads may be using it.
            self._roots.append(roots.claimed(self.root))


def _memory() -> str | None:
    """Return a file system in memory that has room and runs programs, if there is one.

    None where the user has said by TMPDIR where temporary files go.
    """
    if os.environ.get("TMPDIR"):
        return None
    try:
        system = os.statvfs(_MEMORY)
    except OSError:
        return None
    free = system.f_bavail * system.f_frsize
    # A test may compile the candidate and run the result where it lies.
    runs = not system.f_flag & os.ST_NOEXEC
    return _MEMORY if runs and free >= _ENOUGH and os.access(_MEMORY, os.W_OK | os.X_OK) else None
