"""A program in a session of its own, whose whole process group ends with it."""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import ParamSpec, Protocol, Self

from nubbin.oracles.processes.descendants import kill_group
from nubbin_core.waiting import readable, until


def wait_no_reap(pid: int, seconds: float | None) -> bool:
    """Wait for at most `seconds` (None: no limit); return whether a process has ended.

    The kernels of Linux, BSD and macOS wake the caller at that moment. On other systems the process
    must be a child. It is polled, first often and then every 10 ms.
    """
    if hasattr(os, "pidfd_open"):
        return _wait_pidfd(pid, seconds)
    if sys.platform != "linux" and hasattr(select, "kqueue"):
        return _wait_kqueue(pid, seconds)
    return poll_no_reap(pid, seconds)


def _wait_pidfd(pid: int, seconds: float | None) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    except OSError:  # a kernel before 5.3, or a container that forbids it
        return poll_no_reap(pid, seconds)
    try:
        return readable(descriptor, seconds)
    finally:
        os.close(descriptor)


def poll_no_reap(pid: int, seconds: float | None) -> bool:
    """Like `wait_no_reap` for a child, by polling."""
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    pause = 0.0002
    while True:
        try:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                return True
        except ChildProcessError:
            return True
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(pause, left))
        pause = min(2 * pause, 0.01)


if sys.platform != "linux":

    def _wait_kqueue(pid: int, seconds: float | None) -> bool:
        queue = select.kqueue()
        try:
            exit_of = select.kevent(
                pid,
                select.KQ_FILTER_PROC,
                select.KQ_EV_ADD | select.KQ_EV_ONESHOT,
                select.KQ_NOTE_EXIT,
            )
            return bool(until(lambda period: queue.control([exit_of], 1, period), seconds))
        except ProcessLookupError:  # it has already ended
            return True
        finally:
            queue.close()


def exit_in_words(exit_code: int) -> str:
    """Return how a process ended, as the end of a sentence; see `Process.exit_code`."""
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    return f"exited with status {exit_code}"


class Lost(Exception):
    """The exit code of a command is unknown, because a test has killed its supervisor."""


class Running(Protocol):
    """A running command; at the end of the block, it and its supervised processes have ended."""

    def wait(self, seconds: float | None) -> bool:
        """Wait for at most `seconds` (None: no limit); return whether the command has ended."""

    def kill(self) -> None:
        """Kill it; may be called by any thread at any time, and returns at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...

    @property
    def exit_code(self) -> int:
        """The exit status, or minus the ending signal's number, after the block; raises Lost."""


#: The descriptors of standard input, standard output and standard error.
Streams = tuple[int, int, int]


class Process(Running):
    """A running program, the leader of its own session and process group.

    A context manager: at the end of the block the whole group is killed by SIGKILL, whether the
    leader has ended or not, and the leader is reaped. The same happens if an interrupt comes before
    the block, and the object is lost. Raises OSError if it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: str,
        environment: Mapping[bytes, bytes],
        streams: Streams,
    ):
        stdin, output, errors = streams
        self._lock = threading.Lock()
        self._ended = False
        self._reaped = False
        # Ctrl-Z must not stop the child while it is still in our process group: we wait for its
        # exec, so it would block us.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTSTP})
        try:
            self._popen = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
            self._forgotten = weakref.finalize(self, not_in_forks(_end), self._popen)
            self._forgotten.atexit = False
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
                kill_group(self._popen.pid)

    def __exit__(self, *_: object) -> None:
        self.kill()
        if not self._ended:
            self.wait(None)
        with self._lock:
            self._reaped = True
            self._forgotten.detach()
            self._popen.wait()

    @property
    def exit_code(self) -> int:
        """The leader's exit status, or minus the number of the signal that ended it."""
        assert self._popen.returncode is not None, "known after the block"
        return self._popen.returncode


def _end(leader: subprocess.Popen[bytes]) -> None:
    kill_group(leader.pid)
    leader.wait()


P = ParamSpec("P")


def not_in_forks(end: Callable[P, None]) -> Callable[P, None]:
    """Return a function that calls `end`, but does nothing in a fork of this process.

    A fork inherits finalizers and exit handlers, and runs them when it exits. But the first process
    still uses the folders that they remove and the processes that they kill.
    """
    owner = os.getpid()

    @wraps(end)
    def unless_forked(*args: P.args, **kwargs: P.kwargs) -> None:
        if os.getpid() == owner:
            end(*args, **kwargs)

    return unless_forked
