"""Note the last accepted candidate outside the database, which may lose its latest rows.

If the write-ahead log is damaged or missing, SQLite reads a shorter one without an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from nubbin.disk import beginning
from nubbin.journal.schema import sealed

#: The file in the folder of a run. Its line always has the same length, so one write replaces it.
NAME = "accepted"
_MAX_LINE_BYTES = 200


class Last(NamedTuple):
    """The number and the key of the last accepted candidate."""

    number: int
    key: bytes

    @property
    def line(self) -> bytes:
        """The line of the file."""
        *_, seal = sealed("tally", *self)
        return f"{self.number:12} {self.key.hex()} {seal.hex()}\n".encode()


def last(folder: Path) -> Last | None:
    """Return the note in a run's folder; None if it is missing or damaged."""
    line = beginning(folder / NAME, _MAX_LINE_BYTES) or b""
    try:
        number, key, _ = line.split()
        noted = Last(int(number), bytes.fromhex(key.decode()))
    except ValueError:
        return None
    return noted if line == noted.line else None
