"""The lock on the folder of a run: the writer holds it alone, readers share it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from nubbin.oracles.errors import NubbinError

_NAME = "lock"
_FLAGS = os.O_CLOEXEC | os.O_NONBLOCK  # never wait for a pipe of that name


def hold(folder: Path) -> int:
    """Lock the run for this process, and return the descriptor of the lock.

    The system releases it when the process ends, however that happens. Raises NubbinError if
    another process has the run.
    """
    held = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT | _FLAGS, 0o666)
    while not _locked(held, fcntl.LOCK_EX):
        # If it can be shared, only a reader has it, and is done in an instant.
        if not _locked(held, fcntl.LOCK_SH):
            os.close(held)
            raise NubbinError(
                f"The run in {folder} is under way in another process. Wait for it, or end it "
                "first."
            )
    return held


def is_held(folder: Path) -> bool:
    """Tell whether a process writes the run; disturbs nobody."""
    try:
        looking = os.open(folder / _NAME, os.O_RDONLY | _FLAGS)
    except OSError:
        return False
    try:
        return not _locked(looking, fcntl.LOCK_SH)
    finally:
        os.close(looking)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
