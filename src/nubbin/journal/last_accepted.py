"""Note the last accepted candidate outside the database, which may lose its latest rows.

If the write-ahead log is damaged or missing, SQLite reads a shorter one without an error.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from nubbin.disk import Folder, beginning
from nubbin.journal.schema import sealed

_NAME = "accepted"
_MAX_LINE_BYTES = 200


class Last(NamedTuple):
    """The number and the key of the last accepted candidate."""

    number: int
    key: bytes


class LastAcceptedFile:
    """The file in a run's folder that names its last accepted candidate; raises OSError."""

    def __init__(self, folder: Folder):
        self._file = folder.open(_NAME, os.O_WRONLY | os.O_CREAT)

    def note(self, last: Last) -> None:
        """Note a candidate that the database already has; takes two microseconds."""
        # The line always has the same length, so one write replaces it.
        os.pwrite(self._file, _line(last), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def last(folder: Path) -> Last | None:
    """Return the note in a run's folder; None if it is missing or damaged."""
    line = beginning(folder / _NAME, _MAX_LINE_BYTES) or b""
    try:
        number, key, _ = line.split()
        noted = Last(int(number), bytes.fromhex(key.decode()))
    except ValueError:
        return None
    return noted if line == _line(noted) else None


def _line(noted: Last) -> bytes:
    *_, seal = sealed("tally", *noted)
    return f"{noted.number:12} {noted.key.hex()} {seal.hex()}\n".encode()
