"""Waiting for a process to end without reaping it.

As long as nobody has reaped a process its number stays taken, and with it the number of the
group and session it leads: a signal to them cannot hit a stranger. `waitpid` gives that up the
moment it returns, so the wait for the end and the reaping are kept apart here.
"""

from __future__ import annotations

import math
import os
import select
import sys
import time

from nubbin.oracles.waiting import until


def until_exit(pid: int, seconds: float | None) -> bool:
    """Wait until a process has ended, for at most `seconds` (None: no limit); tell whether it has.

    On Linux and BSD (macOS too) the kernel wakes us, at the very moment and at no cost in
    between; on others, children only, by looking ever more rarely, 10 ms at most.
    """
    if hasattr(os, "pidfd_open"):
        return _by_pidfd(pid, seconds)
    if sys.platform != "linux" and hasattr(select, "kqueue"):
        return _by_kqueue(pid, seconds)
    return by_looking(pid, seconds)


def _by_pidfd(pid: int, seconds: float | None) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    except OSError:  # a kernel before 5.3, or a container that forbids it
        return by_looking(pid, seconds)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(until(lambda period: poll.poll(math.ceil(1000 * period)), seconds))
    finally:
        os.close(descriptor)


def by_looking(pid: int, seconds: float | None) -> bool:
    """As `until_exit`, for a child, where the kernel offers nothing better."""
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

    def _by_kqueue(pid: int, seconds: float | None) -> bool:
        queue = select.kqueue()
        try:
            exit_of = select.kevent(
                pid,
                select.KQ_FILTER_PROC,
                select.KQ_EV_ADD | select.KQ_EV_ONESHOT,
                select.KQ_NOTE_EXIT,
            )
            return bool(until(lambda period: queue.control([exit_of], 1, period), seconds))
        except ProcessLookupError:  # it ended before we asked
            return True
        finally:
            queue.close()
