"""The last accepted candidate, noted outside of the database, which may lose its latest rows.

If its write-ahead log is damaged or gone, SQLite takes it for a shorter one, and says nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from nubbin.disk import Folder
from nubbin.journal.tables import sealed

_NAME = "accepted"


class Last(NamedTuple):
    """The number and the key of the last accepted candidate."""

    number: int
    key: bytes


class LastAcceptedFile:
    """The file in a run's folder that names its last accepted candidate; raises OSError."""

    def __init__(self, folder: Folder):
        self._file = folder.open(_NAME, os.O_WRONLY | os.O_CREAT)

    def note(self, last: Last) -> None:
        """Note the last candidate, which the database has; two microseconds."""
        # Always of the same length, so that one write replaces all.
        os.pwrite(self._file, _line(last), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def last(folder: Path) -> Last | None:
    """Return the note in a run's folder; None if it is not there or damaged."""
    try:
        file = os.open(folder / _NAME, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        line = os.read(file, 200)
        number, key, _ = line.split()
        noted = Last(int(number), bytes.fromhex(key.decode()))
    except (OSError, ValueError):
        return None
    finally:
        os.close(file)
    return noted if line == _line(noted) else None


def _line(noted: Last) -> bytes:
    *_, seal = sealed("tally", *noted)
    return f"{noted.number:12} {noted.key.hex()} {seal.hex()}\n".encode()
