"""The lock on the folder of a run: the writer holds it alone, readers share it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from nubbin.disk import Folder, try_lock
from nubbin_core.errors import NubbinError

_NAME = "lock"


def hold(folder: Folder) -> int:
    """Lock the run for this process; raises NubbinError if another process has it.

    See `Folder.lock` for the descriptor that it returns.
    """
    held = folder.lock(_NAME)
    if held is None:
        raise NubbinError(
            f"The run in {folder.path} is under way in another process. Wait for it, or end it "
            "first."
        )
    return held


def is_held(folder: Path) -> bool:
    """Tell whether a process is writing the run; disturbs no process."""
    try:
        # Do not wait for a pipe of this name.
        looking = os.open(folder / _NAME, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not try_lock(looking, fcntl.LOCK_SH)
    finally:
        os.close(looking)
