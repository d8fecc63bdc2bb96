"""Waiting for a process to end without reaping it.

Until a process is reaped its id stays taken, and with it the id of the group and session that it
leads: a signal to them cannot hit a stranger. `waitpid` reaps at once, so waiting and reaping are
separate here.
"""

from __future__ import annotations

import math
import os
import select
import sys
import time

from nubbin.waiting import until


def wait_no_reap(pid: int, seconds: float | None) -> bool:
    """Wait for at most `seconds` (None: no limit); return whether a process has ended.

    On Linux, BSD and macOS the kernel wakes us at that moment. On other systems only a child can be
    waited for, and is looked at ever more rarely, every 10 ms at least.
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
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(until(lambda period: poll.poll(1000 * period), seconds))
    finally:
        os.close(descriptor)


def poll_no_reap(pid: int, seconds: float | None) -> bool:
    """As `wait_no_reap`, for a child, if the kernel offers nothing better."""
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
