"""Root folders in a temporary folder: which are ours, and whether their owner is still alive.

A name proves nothing: any user may unpack a release into a folder called nubbin-0.1. So the owner
of a root locks it as long as it lives, and then writes a mark into it, a file that names this very
folder. A root with a mark and without a lock was left by a killed process. A folder without a mark
is not ours, nor is one with the mark of another folder: it is a copy, or was renamed.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

MARK = ".nubbin"  # hidden, so that `rm -r ../*` in a test keeps it
_PREFIX = "nubbin-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Root:
    """A root folder, and the descriptor that locks it until it is closed."""

    path: str
    descriptor: int


def make(parent: str) -> Root:
    """Make a root in a folder and claim it; raises OSError."""
    return claim(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))


def claim(path: str) -> Root:
    """Lock and mark an empty folder that this process has just made; raises OSError."""
    descriptor = os.open(path, _FOLDER)
    # Some network file systems have no locks, and a disk may be full. Then no other process will
    # remove this root if we are killed; nothing worse.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        mark = os.open(MARK, flags, 0o600, dir_fd=descriptor)
        try:
            os.write(mark, _mark_text(path, descriptor))
        finally:
            os.close(mark)
    return Root(path, descriptor)


def abandoned(parent: str) -> Iterator[Root]:
    """Yield the roots in a folder whose owners were killed; the caller is their new owner."""
    with suppress(OSError), os.scandir(parent) as entries:
        for path in [entry.path for entry in entries if entry.name.startswith(_PREFIX)]:
            with suppress(OSError):
                descriptor = os.open(path, _FOLDER)
                if _take_over(path, descriptor):
                    yield Root(path, descriptor)
                else:
                    os.close(descriptor)


def _take_over(path: str, descriptor: int) -> bool:
    """Lock a folder if it is a root that nobody has locked; return whether it is ours now."""
    with suppress(OSError):
        if _is_marked(path, descriptor):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return _is_marked(path, descriptor)  # or another process has just removed it
    return False


def _is_marked(path: str, descriptor: int) -> bool:
    # A user who can write to the folder may have put anything there: a link, or a pipe.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    mark = os.open(MARK, flags, dir_fd=descriptor)
    try:
        ours = all(os.fstat(each).st_uid == os.geteuid() for each in (mark, descriptor))
        text = _mark_text(path, descriptor)
        regular = stat.S_ISREG(os.fstat(mark).st_mode)
        return ours and regular and os.read(mark, len(text) + 1) == text
    finally:
        os.close(mark)


def _mark_text(path: str, descriptor: int) -> bytes:
    """Return the text of a folder's mark; its inode differs in a copy that took its place."""
    inode = os.fstat(descriptor).st_ino
    return os.fsencode(
        f"This is a temporary folder of nubbin, at {path}, inode {inode}. When the process that "
        "has locked it ends, it is removed, and what runs in it is killed.\n"
    )
