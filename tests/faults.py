"""Tests of the tests: scripts that misbehave, and a tether that shows whether they are gone."""

from __future__ import annotations

import os
import select
from pathlib import Path

PATIENCE = 30_000  # ms: only how long a broken build takes to fail


def script(folder: Path, body: str, name: str = "test.sh") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class Tether:
    """A named pipe that a script and all its children hold open by `exec 9> PATH`.

    So its reader sees them come, by what they write, and go, by its end: exactly, with no
    look at process tables and no sleep.
    """

    def __init__(self, folder: Path):
        self.path = folder / "tether"
        os.mkfifo(self.path)
        self._reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def __enter__(self) -> Tether:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reader)

    def _next(self, wanted: int) -> None:
        poll = select.poll()
        poll.register(self._reader, wanted)
        assert poll.poll(PATIENCE), "nothing happened"

    def read(self) -> bytes:
        """Wait until somebody writes."""
        self._next(select.POLLIN)
        return os.read(self._reader, 1 << 16)

    def assert_cut(self, said: bytes = b"") -> None:
        """Wait for all who held it to be gone; check what they had said until then."""
        heard = b""
        while True:
            self._next(select.POLLIN)
            chunk = os.read(self._reader, 1 << 16)
            if not chunk:
                break
            heard += chunk
        assert heard == said
