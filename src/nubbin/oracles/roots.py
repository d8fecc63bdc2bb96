"""Root folders among the temporary files: whose they are, and if their owner still lives.

A name proves nothing: anybody may unpack a release into a folder called nubbin-0.1. A root proves
by itself that it is one. Its owner locks it for life, and then writes a mark into it, a file that
names this very folder. So a root with a mark and without a lock was left by a killed process, and
what has no mark, or the mark of another folder, as a copy or a renamed root has, is none of ours.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

MARK = ".nubbin"  # no `rm -r ../*` of a test takes it along
_PREFIX = "nubbin-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Root:
    """A root folder, and the descriptor that locks it until it is closed."""

    path: str
    descriptor: int


def new(parent: str) -> Root:
    """Make a root in a folder, and claim it; raises OSError."""
    return claimed(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))


def claimed(path: str) -> Root:
    """Lock and mark an empty folder that this process has just made; raises OSError."""
    descriptor = os.open(path, _FOLDER)
    # Some network file systems have no locks, and a disk may be full. Then nobody else ever
    # clears this root away, and that is all.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        mark = os.open(MARK, flags, 0o600, dir_fd=descriptor)
        try:
            os.write(mark, _words(path, descriptor))
        finally:
            os.close(mark)
    return Root(path, descriptor)


def abandoned(parent: str) -> Iterator[Root]:
    """Yield the roots in a folder whose owners were killed; each is the caller's from then on."""
    with suppress(OSError), os.scandir(parent) as entries:
        for path in [entry.path for entry in entries if entry.name.startswith(_PREFIX)]:
            with suppress(OSError):
                descriptor = os.open(path, _FOLDER)
                if _take_over(path, descriptor):
                    yield Root(path, descriptor)
                else:
                    os.close(descriptor)


def _take_over(path: str, descriptor: int) -> bool:
    """Lock a folder if it is a root that nobody locks."""
    with suppress(OSError):
        if _is_marked(path, descriptor):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return _is_marked(path, descriptor)  # or another process has just cleared it away
    return False


def _is_marked(path: str, descriptor: int) -> bool:
    # Whoever may write to the folder may have put anything there: a link, or a pipe.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    mark = os.open(MARK, flags, dir_fd=descriptor)
    try:
        ours = all(os.fstat(each).st_uid == os.geteuid() for each in (mark, descriptor))
        words = _words(path, descriptor)
        regular = stat.S_ISREG(os.fstat(mark).st_mode)
        return ours and regular and os.read(mark, len(words) + 1) == words
    finally:
        os.close(mark)


def _words(path: str, descriptor: int) -> bytes:
    """Return what the mark of a folder says; the inode tells a copy that has taken its place."""
    inode = os.fstat(descriptor).st_ino
    return os.fsencode(
        f"This is a temporary folder of nubbin, at {path}, inode {inode}. When the process that "
        "has locked it ends, it is removed, and what runs in it is killed.\n"
    )
