"""Processes that have left the process group of their test: daemons, jobs, what `timeout` starts.

Killing the group of a test misses them. But they have inherited what identifies their query:
TMPDIR in their environment, and their working folder. Only a process that leaves its group, clears
its environment and leaves its folder is not found. Processes are looked for in `/proc`; on a system
without it, none is found.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from nubbin.oracles.wait_exit import pinned, wait_no_reap

_MAX_TIME_FRACTION = 0.01  # spent in `end_now_and_then`
_MAX_ROUNDS = 100  # of killing processes that fork
_KILL_TIMEOUT_S = 1.0  # after that, a killed process hangs in the kernel
_MAX_LOOKS = 5  # at processes without an environment
_EXEC_PAUSE_S = 0.002  # between two of these looks


class EscapedProcesses:
    """Finds and kills the processes of queries whose folders lie in `root`.

    The folder of a query is where its test is started, and its TMPDIR. May be shared by threads.
    """

    def __init__(self, root: str):
        self._folder = re.compile(re.escape(os.fsencode(root)) + rb"/\d+")
        self._lock = threading.Lock()
        self._next_end = 0.0

    def end(self, belongs: Callable[[str], bool]) -> None:
        """Kill the processes of the queries whose folder `belongs` accepts, until none is left.

        A process that hangs in the kernel stays. Costs 20 microseconds for each process of the
        machine.
        """
        hanging: set[int] = set()
        for _ in range(_MAX_ROUNDS):
            found = [each for each in self.living() if each[0] not in hanging and belongs(each[1])]
            if not found:
                return
            for pid, folder in found:
                with suppress(ProcessLookupError, PermissionError), pinned(pid) as kill:
                    if self.folder_of(pid) == folder:
                        kill(signal.SIGKILL)
            deadline = time.monotonic() + _KILL_TIMEOUT_S
            for pid, _ in found:
                if not wait_no_reap(pid, max(0.0, deadline - time.monotonic())):
                    hanging.add(pid)

    def end_now_and_then(self, belongs: Callable[[str], bool]) -> None:
        """As `end`, if that has not been done for a while; cheap enough for after every query."""
        if time.monotonic() < self._next_end or not self._lock.acquire(blocking=False):
            return
        try:
            started = time.monotonic()
            self.end(belongs)
            ended = time.monotonic()
            self._next_end = ended + (ended - started) / _MAX_TIME_FRACTION
        finally:
            self._lock.release()

    def living(self) -> Iterator[tuple[int, str]]:
        """Yield the id of each process of a query, and the folder of the query.

        A process that is executing another program has no environment for an instant; a few such
        looks are made again, after one pause for all.
        """
        if not Path("/proc/self/environ").exists():
            return
        own_pid = os.getpid()
        entries = os.listdir("/proc")  # noqa: PTH208 - names are all we need
        pids = [int(entry) for entry in entries if entry.isdecimal() and int(entry) != own_pid]
        for _ in range(_MAX_LOOKS):
            executing: list[int] = []
            for pid in pids:
                folder, may_execute = self._look(pid)
                if folder is not None:
                    yield pid, folder
                elif may_execute:
                    executing.append(pid)
            if not executing:
                return
            pids = executing
            time.sleep(_EXEC_PAUSE_S)

    def folder_of(self, pid: int) -> str | None:
        """Return the folder of the query that a process belongs to; None if to none.

        A process that is dead but not reaped belongs to none.
        """
        folder, _ = self._look(pid)
        return folder

    def _look(self, pid: int) -> tuple[str | None, bool]:
        """Return the folder of a process, and if there is none, whether it may be executing."""
        environment = b""
        with suppress(OSError):
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            _, _, value = (b"\0" + environment).partition(b"\0TMPDIR=")
            if folder := self._folder.match(value):
                return os.fsdecode(folder[0]), False
        with suppress(OSError):
            working = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
            if folder := self._folder.match(os.fsencode(working)):
                return os.fsdecode(folder[0]), False
        return None, not environment and _has_program(pid)


def _has_program(pid: int) -> bool:
    """Tell whether a process runs a program: not a thread of the kernel, nor one that is dead."""
    try:
        os.readlink(f"/proc/{pid}/exe")  # noqa: PTH115
    except OSError:
        return False
    return True
