"""Find and end all descendants of a process, so that none of them can escape.

On Linux, a process can become a subreaper: then a descendant whose parent ends is its child,
whatever group, session, environment or folder that descendant has. A child that is not reaped keeps
its id, so its parent can kill it without hitting another process. Other systems have no subreapers,
and there no processes are found.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
#: Looks in a row at which a killed process may sleep before it counts as hung. On a busy machine,
#: one that runs may take seconds to end.
_MAX_LOOKS = 100
MAX_PAUSE_S = 0.01  # between two looks whether what was killed has ended


def become_subreaper() -> bool:
    """Adopt, from now on, descendants whose parents end; return whether the system supports it."""
    if not Path("/proc/thread-self/children").exists():
        return False
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - only here; a Python may lack it

        one, unused = ctypes.c_ulong(1), ctypes.c_ulong(0)
        prctl = ctypes.CDLL(None).prctl
        return bool(prctl(_PR_SET_CHILD_SUBREAPER, one, unused, unused, unused) == 0)
    return False


def children(pid: int) -> list[int]:
    """Return the children of a process, including the dead ones that are not reaped."""
    found = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # names are all we need
            with suppress(OSError):
                found += Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split()
    return [int(each) for each in found]


def descendants(pid: int) -> list[int]:
    """Return the children of a process, their children, and so on."""
    found = children(pid)
    for each in found:
        found += children(each)
    return found


def end_children(spared: Collection[int] = ()) -> list[int]:
    """Kill and reap the children of this process, except `spared`, until there are none.

    A subreaper also ends the children that these leave behind. Returns the processes that could not
    be ended.
    """
    killing = Killing()
    pause = 0.0002
    while found := [each for each in _children_of_ours() if each not in spared]:
        left = [each for each in found if not _reap(each)]
        if not left:
            continue  # their children may be ours by now
        if not killing.go_on(left):
            return left
        time.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE_S)
    return []


class Killing:
    """Kills processes until they have ended, or are known to be beyond that."""

    def __init__(self) -> None:
        self._looks_left = _MAX_LOOKS

    def go_on(self, pids: Iterable[int]) -> bool:
        """Kill the processes; return false if none has been about to end for `_MAX_LOOKS`."""
        about_to_end = [_kill(pid) and _runs(pid) for pid in pids]
        self._looks_left = _MAX_LOOKS if any(about_to_end) else self._looks_left - 1
        return self._looks_left > 0


def kill_group(leader: int) -> None:
    """Kill the process group of a child that is not reaped, so that its id is still the group's."""
    # PermissionError: some systems refuse to signal a group that has only zombies.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except PermissionError:
        return False
    return True


def _runs(pid: int) -> bool:
    """Return whether a thread of a process runs, or waits for a processor."""
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # names are all we need
            with suppress(OSError):
                stat = Path(f"/proc/{pid}/task/{thread}/stat").read_bytes()
                if stat.rpartition(b") ")[2].startswith(b"R"):
                    return True
    return False


def _children_of_ours() -> list[int]:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # usually there are none, and this is the fastest way to know
        return []
    return children(os.getpid())


def _reap(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
