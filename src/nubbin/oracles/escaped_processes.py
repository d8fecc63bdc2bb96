"""Processes that a test let go of: daemons, jobs in a process group of their own.

Killing the group of a test misses what has left it; `timeout` does so in every other test
script. Such a process still carries the mark of its query, in what it inherited: TMPDIR in
its environment, and its working folder. Only one that clears its environment, leaves its
folder and its group as well goes unseen. Found through `/proc`; where there is none, nothing is.
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

_SHARE = 0.01  # of the time, at most, for looking around after queries that ended well
_ROUNDS = 100  # a stray that forks is chased that often before we give up
_DYING_S = 1.0  # until a killed process is thought to hang in the kernel


class EscapedProcesses:
    """The strays of all queries under one root folder.

    A query is known by its folder, which lies in the root, is where its test is started, and
    is its TMPDIR. May be shared by threads.
    """

    def __init__(self, root: str):
        self._folder = re.compile(re.escape(os.fsencode(root)) + rb"/\d+")
        self._lock = threading.Lock()
        self._next = 0.0

    def end(self, belongs: Callable[[str], bool]) -> None:
        """Kill the strays of those queries whose folder `belongs` accepts, until none is left.

        Costs a look at each process of the machine, some milliseconds. One that hangs in the
        kernel stays.
        """
        hang: set[int] = set()
        for _ in range(_ROUNDS):
            found = [each for each in self.living() if each[0] not in hang and belongs(each[1])]
            if not found:
                return
            for pid, folder in found:
                with suppress(ProcessLookupError, PermissionError), pinned(pid) as kill:
                    if self.folder_of(pid) == folder:
                        kill(signal.SIGKILL)
            deadline = time.monotonic() + _DYING_S
            for pid, _ in found:
                if not wait_no_reap(pid, max(0.0, deadline - time.monotonic())):
                    hang.add(pid)

    def end_now_and_then(self, belongs: Callable[[str], bool]) -> None:
        """As `end`, but only if that has not been done for a while: for after every query."""
        if time.monotonic() < self._next or not self._lock.acquire(blocking=False):
            return
        try:
            started = time.monotonic()
            self.end(belongs)
            ended = time.monotonic()
            self._next = ended + (ended - started) / _SHARE
        finally:
            self._lock.release()

    def living(self) -> Iterator[tuple[int, str]]:
        """Yield each process that bears a mark of this root, and the folder of its query."""
        if not Path("/proc/self/environ").exists():
            return
        ourselves = os.getpid()
        for entry in os.listdir("/proc"):  # noqa: PTH208 - names are all we need
            if entry.isdecimal() and int(entry) != ourselves:
                folder = self.folder_of(int(entry))
                if folder is not None:
                    yield int(entry), folder

    def folder_of(self, pid: int) -> str | None:
        """Return the folder of the query that a process stems from; None for a stranger.

        A process that is dead but not reaped has neither mark any more.
        """
        with suppress(OSError):
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            _, _, value = (b"\0" + environment).partition(b"\0TMPDIR=")
            if folder := self._folder.match(value):
                return os.fsdecode(folder[0])
        with suppress(OSError):
            working = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
            if folder := self._folder.match(os.fsencode(working)):
                return os.fsdecode(folder[0])
        return None
