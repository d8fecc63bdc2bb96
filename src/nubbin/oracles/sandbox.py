"""Running a test where it can do no harm: it sees this machine, and writes in one folder only."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from nubbin.oracles.errors import NoSandbox


class Sandbox:
    """Puts commands into user, mount, PID and network namespaces of their own, by bubblewrap.

    All files are there to be read; written is to one folder, and to a /dev of their own. There
    is no network and no other process. Raises NoSandbox where that cannot be had.
    """

    def __init__(self, test: Path):
        found = shutil.which("bwrap")
        if found is None:
            raise NoSandbox(
                test,
                "There is no bwrap on the PATH to make a sandbox. Install bubblewrap, or run the "
                "test without --sandbox, with all that you may do.",
            )
        self._program = found
        trial = subprocess.run(self.around(["/bin/true"], "/tmp"), capture_output=True, check=False)
        if trial.returncode != 0:
            told = os.fsdecode(trial.stderr).strip()
            raise NoSandbox(
                test,
                f"This system lets bwrap make no sandbox: {told}. It may forbid user namespaces, "
                "as some containers do. Allow them, or run without --sandbox.",
            )

    def around(self, command: Sequence[str], writable: str) -> list[str]:
        """Return the command that runs a command so; only `writable`, a folder, can be changed."""
        return [
            self._program,
            "--unshare-all",
            *("--ro-bind", "/", "/"),
            *("--dev", "/dev"),
            *("--proc", "/proc"),
            *("--bind", writable, writable),
            "--",
            *command,
        ]
