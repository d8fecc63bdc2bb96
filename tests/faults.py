"""Tests of the tests: scripts that misbehave, and a tether that shows whether they are gone."""

from __future__ import annotations

import dis
import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

PATIENCE_S = 600.0  # only how long a broken build takes to fail, on however busy a machine


#: In a script: the number of the process that asks, on Linux the parent of its supervisor's.
ASKER = (
    "$(cut -d\\  -f4 /proc/$(cut -d\\  -f4 /proc/$PPID/stat)/stat)"
    if sys.platform == "linux"
    else "$PPID"
)


def script(folder: Path, body: str, name: str = "test.sh") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def remove(path: Path) -> None:
    """Remove a file or a folder, however deep: deeper than `shutil` can."""
    subprocess.run(["rm", "-rf", "--", path], check=True)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


#: Seconds for a test that hangs, each tried until one is enough for it to get there.
LIMITS_S = (0.5, 5.0, 50.0, PATIENCE_S)


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
        assert poll.poll(PATIENCE_S * 1000), "nothing happened"

    def read(self) -> bytes:
        """Wait until somebody writes."""
        self._next(select.POLLIN)
        return os.read(self._reader, 1 << 16)

    def heard(self) -> bytes:
        """Return what was written so far, without waiting."""
        try:
            return os.read(self._reader, 1 << 16)
        except BlockingIOError:  # it is held, and nothing was written
            return b""

    def assert_cut(self, said: bytes | None = b"") -> None:
        """Wait for all who held it to be gone; check what they had said until then, if given."""
        heard = b""
        while True:
            self._next(select.POLLIN)
            chunk = os.read(self._reader, 1 << 16)
            if not chunk:
                break
            heard += chunk
        assert said in (heard, None)


#: After these instructions, Python looks whether a signal or another thread interrupts.
_LOOKS_AFTER = {"CALL", "CALL_FUNCTION_EX", "CALL_KW", "JUMP_BACKWARD", "RESUME"}


def interrupted(work: Callable[[], object], after: int, files: str) -> bool:
    """Interrupt some work, as Ctrl-C would, after so many looks for that in `files`.

    Returns whether there were so many.
    """
    left, looks = after, dict[int, bool]()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if files not in frame.f_code.co_filename:
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        if event == "opcode":
            if looks.get(id(frame)):
                left -= 1
            if left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
            code = frame.f_code.co_code[frame.f_lasti]
            looks[id(frame)] = dis.opname[code] in _LOOKS_AFTER
        elif event == "call":
            looks[id(frame)] = False
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False
