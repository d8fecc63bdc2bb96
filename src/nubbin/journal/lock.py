"""Who has a run? A lock on a file of its folder: a run holds it alone, those who look share it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from nubbin.oracles.errors import NubbinError

_NAME = "lock"
_FLAGS = os.O_CLOEXEC | os.O_NONBLOCK  # a pipe of that name would be waited for


def hold(folder: Path) -> int:
    """Take the run for this process, and return the descriptor that holds it.

    The system lets go of it when the process ends, anyhow. Raises NubbinError where another
    process has the run.
    """
    held = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT | _FLAGS, 0o666)
    while not _locked(held, fcntl.LOCK_EX):
        # What can be shared is not under way: somebody looks, and is done in an instant.
        if not _locked(held, fcntl.LOCK_SH):
            os.close(held)
            raise NubbinError(
                f"The run in {folder} is under way in another process. Wait for it, or end it "
                "first."
            )
    return held


def is_held(folder: Path) -> bool:
    """Look whether a process has the run; gets in nobody's way."""
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
