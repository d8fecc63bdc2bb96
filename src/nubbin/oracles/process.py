"""A program in a session of its own, whose whole process group ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol, Self

from nubbin.oracles.wait_exit import wait_no_reap


def ended(exit_code: int) -> str:
    """Return how a process ended, as the rest of a sentence; see `Process.exit_code`."""
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    return f"exited with status {exit_code}"


class Running(Protocol):
    """A running command, which has ended, with all that has to end with it, after the block."""

    def wait(self, seconds: float | None) -> bool:
        """Wait for at most `seconds` (None: no limit); return whether the command has ended."""

    def kill(self) -> None:
        """Kill it; may be called by any thread at any time, and returns at once."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def exit_code(self) -> int:
        """The exit status, or minus the number of the signal that ended it; after the block."""


class Process:
    """A running program, the leader of its own session and process group.

    A context manager: at the end of the block the whole group is killed by SIGKILL, whether the
    leader has ended or not, and the leader is reaped. Standard error goes to `errors`, by default
    to `output`. Raises OSError if it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: str,
        environment: Mapping[bytes, bytes],
        stdin: int,
        output: int,
        errors: int | None = None,
    ):
        self._lock = threading.Lock()
        self._ended = False
        self._reaped = False
        # Ctrl-Z must not stop the child while it is still in our process group: we wait for its
        # exec, and could neither stop nor continue.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTSTP})
        try:
            self._popen = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=output,
                stderr=output if errors is None else errors,
                start_new_session=True,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def wait(self, seconds: float | None) -> bool:
        """Wait for at most `seconds` (None: no limit); return whether the leader has ended."""
        self._ended = wait_no_reap(self._popen.pid, seconds)
        return self._ended

    def kill(self) -> None:
        """Kill the group; may be called by any thread at any time, and returns at once."""
        with self._lock:
            if not self._reaped:
                # The leader is our child and not reaped, so the number is still that of its group.
                # PermissionError: some systems refuse to signal a group that has only zombies.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._popen.pid, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        if not self._ended:
            self.wait(None)
        with self._lock:
            self._reaped = True
            self._popen.wait()

    @property
    def exit_code(self) -> int:
        """The leader's exit status, or minus the number of the signal that ended it."""
        assert self._popen.returncode is not None, "known after the block"
        return self._popen.returncode
