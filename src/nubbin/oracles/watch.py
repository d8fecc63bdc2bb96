"""What a query takes while it runs: memory, processes, room for files. Too much ends it.

Looked at from outside, through `/proc`, rather than limited from inside: a limit on the address
space refuses sanitizers and virtual machines, which reserve terabytes and use little, it holds
for each process and not for all of them, and it makes a test fail in ways that may look like the
very bug. Where there is no `/proc`, nothing is limited but time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from nubbin.oracles.strays import Strays

PROCESSES = 1000  # of one query at a time, more than any honest test has
ROOM = 4 << 30  # bytes that all queries together may write, but no more than half of what is free

_YOUNG = 0.1  # seconds that a query runs before it is looked at, which most do not
_SHARE = 0.02  # of the time, at most, for looking for the processes of queries
_GLANCE = 0.02  # seconds between two looks at those that are known
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(eq=False, slots=True)
class Watched:
    """A query under watch; `exceeded` tells then what it took too much of, if anything."""

    folder: str
    stop: Callable[[], None]
    since: float = field(default_factory=time.monotonic)
    processes: list[int] = field(default_factory=list)
    exceeded: str | None = None


class Watch:
    """Watches queries, each known by its folder; see `nubbin.oracles.strays`.

    `memory` is what all processes of a query may hold at a time, in bytes, or None. The folders
    lie under `root`. A thread of its own looks, from the first query on; `close` ends it.
    """

    def __init__(self, strays: Strays, root: str, memory: int | None):
        self._strays = strays
        self._root = root
        self._memory = memory
        self._free = _free(root)
        self._room = min(ROOM, self._free // 2)
        self._watched: dict[str, Watched] = {}
        self._closed = threading.Event()
        self._begun = threading.Lock()

    @contextmanager
    def over(self, folder: str, stop: Callable[[], None]) -> Iterator[Watched]:
        """Watch a query during the block; call `stop`, from another thread, if it takes too much.

        `stop` must be quick and must not raise.
        """
        watched = self._watched[folder] = Watched(folder, stop)
        if self._begun.acquire(blocking=False):
            threading.Thread(target=self._work, name="nubbin-watch", daemon=True).start()
        try:
            yield watched
        finally:
            del self._watched[folder]

    def close(self) -> None:
        """Look no more; once is enough."""
        self._closed.set()

    # -- the thread that looks ---------------------------------------------------------------

    def _work(self) -> None:
        next_look = 0.0
        while not self._closed.wait(_GLANCE if self._memory is not None else _YOUNG):
            started = time.monotonic()
            if self._memory is not None:
                self._weigh(self._memory)
            if started >= next_look and any(started - each.since > _YOUNG for each in self._now()):
                self._look()
                ended = time.monotonic()
                next_look = ended + (ended - started) / _SHARE

    def _now(self) -> list[Watched]:
        return list(self._watched.values())

    def _look(self) -> None:
        """Find the processes of each query, and how full the disk is."""
        found: dict[str, list[int]] = {}
        for pid, folder in self._strays.living():
            found.setdefault(folder, []).append(pid)
        for watched in self._now():
            watched.processes = found.get(watched.folder, [])
            if len(watched.processes) > PROCESSES:
                _end(watched, f"{PROCESSES} processes")
        if self._free - _free(self._root) > self._room:
            filled = [(_filled(each.folder), each) for each in self._now()]
            size, largest = max(filled, key=itemgetter(0), default=(0, None))
            # Somebody else may fill the disk, which is none of our business.
            if largest is not None and size > self._room / 2:
                _end(largest, "the room there is for temporary files")

    def _weigh(self, memory: int) -> None:
        """Look how much each query holds, as far as its processes are known."""
        for watched in self._now():
            if sum(map(_held, watched.processes)) > memory:
                _end(watched, "the memory it may use")


def _end(watched: Watched, what: str) -> None:
    if watched.exceeded is None:
        watched.exceeded = what
        watched.stop()


def _held(pid: int) -> int:
    """Return the bytes in memory that a process does not share by files; 0 when it has ended."""
    with suppress(OSError, ValueError):
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_bytes().split()
        return (int(resident) - int(shared)) * _PAGE
    return 0


def _free(root: str) -> int:
    with suppress(OSError):
        system = os.statvfs(root)
        return system.f_bavail * system.f_frsize
    return 0


def _filled(folder: str) -> int:
    """Return the bytes on disk of all that lies in a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(f"{place}/{name}").st_blocks * 512
    return total
