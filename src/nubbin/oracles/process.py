"""One run of a program, with a session of its own, that is gone when we are done with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Self

from nubbin.oracles.wait_exit import wait_no_reap


def ended(exit_code: int) -> str:
    """Return in words how a process ended, after its subject; see `Process.exit_code`."""
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    return f"exited with status {exit_code}"


class Process:
    """A running program, the leader of its own session and process group.

    A context manager: at the end of the block the whole group is killed, SIGKILL, whether the
    leader has ended or not, and the leader is reaped. Standard error goes where `output` goes
    unless `errors` says otherwise. Raises OSError when it cannot be started.
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
        # Ctrl-Z must not stop the child before it leaves our process group: this process waits for
        # its exec and could neither stop nor be told to go on.
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
        """Wait for the leader to end, for at most `seconds`; tell whether it has."""
        self._ended = wait_no_reap(self._popen.pid, seconds)
        return self._ended

    def kill(self) -> None:
        """Kill the group; may be called by any thread at any time, and comes back at once."""
        with self._lock:
            if not self._reaped:
                # The leader is ours and unreaped, so the number is its group's and no other's.
                # PermissionError: a system that does not let us signal a group of zombies only.
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
        assert self._popen.returncode is not None, "known when the block has ended"
        return self._popen.returncode
