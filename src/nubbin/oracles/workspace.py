"""Temporary folders: one for an oracle, in it one for each query, in memory where possible."""

from __future__ import annotations

import fcntl
import itertools
import os
import stat
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_MEMORY = "/dev/shm"
_ENOUGH = 512 << 20  # bytes free in memory, or we stay on disk: a container often has 64 MiB
_ROUNDS = 3
_PREFIX = "nubbin-"
_YOUNG = 60.0  # seconds in which a folder may not be locked yet by whoever made it


class Workspace:
    """A root folder of its own, and in it a fresh folder for each query.

    May be shared by threads. `close` removes everything, whatever was left in it; if this process
    ends without that, `abandoned` finds it.
    """

    def __init__(self, parent: Path | None = None):
        root = tempfile.mkdtemp(prefix=_PREFIX, dir=parent or _memory())
        held = _hold(root)
        assert held is not None, "nobody else takes a folder this young"
        self._take(root, held)

    def _take(self, root: str, held: int) -> None:
        self.root = root
        self._held: int | None = held
        self._names = itertools.count()
        self._attic = itertools.count()

    @classmethod
    def abandoned(cls, parent: Path | None = None) -> Iterator[Workspace]:
        """Yield the workspaces of processes that were killed, to be closed by us."""
        for place in Path(parent or _memory() or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            root = str(place)
            with suppress(OSError):
                seen = os.lstat(root)
                ours = stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid()
                if ours and time.time() - seen.st_mtime > _YOUNG:
                    held = _hold(root)
                    if held is not None:
                        left = cls.__new__(cls)
                        left._take(root, held)
                        yield left

    def fresh(self) -> str:
        """Make an empty folder for a query and return its path, which is never used again.

        Not even after the folder is gone: some tools remember what they saw at a path.
        """
        folder = f"{self.root}/{next(self._names)}"
        try:
            os.mkdir(folder)  # noqa: PTH102 - here and below: once a query, and faster
        except FileNotFoundError:  # a test has removed more than was its own
            os.makedirs(folder, mode=0o700)  # noqa: PTH103
        return folder

    def clear(self, folder: str, candidate: str | None) -> None:
        """Remove the folder of a query, in which no process runs any more.

        `candidate` is the path of the only file that was put there, if it was only one: a
        test that left it at that, as most do, is cleared away without a look around.
        """
        if candidate is not None:
            with suppress(OSError):
                if stat.S_ISDIR(os.lstat(folder).st_mode):  # no link, put there by the test
                    os.unlink(candidate)  # noqa: PTH108
                    os.rmdir(folder)  # noqa: PTH106
                    return
        self._remove(folder)

    def close(self) -> None:
        """Remove the root and everything in it; warn of what the system does not let go."""
        with suppress(FileNotFoundError), os.scandir(self.root) as entries:
            for entry in list(entries):
                self._remove(entry.path)
        with suppress(OSError):
            os.rmdir(self.root)  # noqa: PTH106
        if self._held is not None:
            os.close(self._held)
            self._held = None
        if os.path.lexists(self.root):
            warnings.warn(
                f"could not remove {self.root}: the test left something there that belongs to "
                "another user, or that is mounted",
                ResourceWarning,
                stacklevel=2,
            )

    def _remove(self, path: str) -> None:
        """Remove a file, a link or a folder of this root, as far as the system allows.

        A process ends a moment after it is killed, so that a folder can fill once more behind
        us; hence the rounds. What even the last one leaves is tried again by `close`.
        """
        left = [path]
        for _ in range(_ROUNDS):
            left = self._remove_once(left)
            if not left:
                return

    def _remove_once(self, doomed: list[str]) -> list[str]:
        """Remove what can be removed; return the folders that would not go."""
        emptied = []
        while doomed:
            with suppress(OSError):
                path = doomed.pop()
                if not stat.S_ISDIR(os.lstat(path).st_mode):
                    os.unlink(path)  # noqa: PTH108
                    continue
                # Every folder moves to the top before we look inside. So no path gets too long,
                # however deep the test went, and what is mounted, say by `mount --bind`, is
                # never emptied: the system refuses to move it.
                os.chmod(path, 0o700)  # noqa: PTH101
                moved = f"{self.root}/gone-{next(self._attic)}"
                os.rename(path, moved)  # noqa: PTH104
                emptied.append(moved)
                with os.scandir(moved) as entries:
                    doomed.extend(entry.path for entry in entries)
        for path in emptied:
            with suppress(OSError):
                os.rmdir(path)  # noqa: PTH106
        return [path for path in emptied if os.path.lexists(path)]


def _hold(root: str) -> int | None:
    """Lock a folder for as long as this process lives; None if another has it."""
    held = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    return held


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
