"""A real terminal with a shell in it, typed at and read by a test."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path
from types import TracebackType
from typing import Self

from faults import PATIENCE_S


class Shell:
    """An interactive shell that is in a terminal of its own, as a context manager."""

    def __init__(self, folder: Path, columns: int = 80, rows: int = 24):
        self._us, self._them = pty.openpty()
        self._read = bytearray()  # and not asked for yet
        self.resize(columns, rows)
        place = os.ttyname(self._them)
        environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1", "PS1": "$ "}
        for size in ("COLUMNS", "LINES"):  # they would outweigh the terminal's own
            environment.pop(size, None)
        # A session leader that opens a terminal is controlled by it: that makes job control work.
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", f"exec /bin/sh -i <{place} >{place} 2>&1"],
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        self.nubbin = f"{sys.executable} -m nubbin"

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._us, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def enter(self, text: str) -> None:
        os.write(self._us, text.encode())

    def until(self, *patterns: bytes) -> bytes:
        """Read until each pattern has come, one after the other; return all up to there."""
        shown, at = self._read, 0
        for pattern in patterns:
            while (found := shown.find(pattern, at)) < 0:
                ready, _, _ = select.select([self._us], [], [], PATIENCE_S)
                assert ready, f"{pattern!r} does not come after {bytes(shown)!r}"
                shown += os.read(self._us, 65536)
            at = found + len(pattern)
        self._read = shown[at:]
        return bytes(shown[:at])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._us)  # hangs up
        os.close(self._them)
        self._shell.kill()
        self._shell.wait()
