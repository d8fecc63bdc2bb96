"""What a query takes while it runs: memory, processes, room for files. Too much ends it.

Looked at from outside, through `/proc`, rather than limited from inside: a limit on the address
space refuses sanitizers and virtual machines, which reserve terabytes and use little, it holds
for each process and not for all of them, and it makes a test fail in ways that may look like the
very bug. Where there is no `/proc`, nothing is limited but time.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from operator import itemgetter

from nubbin.oracles.escaped_processes import EscapedProcesses
from nubbin.oracles.resource_usage import Room, filled, free, memory, memory_bounds, nameless

PROCESSES = 1000  # of one query at a time, more than any honest test has
ROOM = 4 << 30  # bytes that all queries together may write, but no more than half of what is free
FILES = 1_000_000  # that all queries together may make, but no more than half of what is free

_YOUNG = 0.1  # seconds that a query runs before it is looked at, which most do not
_SHARE = 0.02  # of the time, at most, for looking for the processes of queries
_GLANCE = 0.02  # seconds between two looks at those that are known
_MEASURING = 0.1  # of the time, at most, for measuring exactly what they hold
_FAILURES = 20  # in a row, of one kind of look, until the user is told


@dataclass(eq=False, slots=True)
class MonitoredQuery:
    """A query under watch; `exceeded` tells then what it took too much of, if anything."""

    folder: str
    stop: Callable[[], None]
    since: float = field(default_factory=time.monotonic)
    processes: list[int] = field(default_factory=list)
    files: int = 0  # bytes that they hold in files in memory
    exceeded: str | None = None


class ResourceMonitor:
    """Watches queries, each known by its folder; see `nubbin.oracles.escaped_processes`.

    `limit` is what all processes of a query may hold in memory at a time, in bytes, or None. The
    folders lie under `root`. A thread of its own looks, until `close`; nothing that goes wrong
    ends it, but if it goes wrong again and again, a RuntimeWarning says so.
    """

    def __init__(self, escaped: EscapedProcesses, root: str, limit: int | None):
        self._escaped = escaped
        self._root = root
        self._limit = limit
        self._free = free(root)
        self._room = Room(min(ROOM, self._free.bytes // 2), min(FILES, self._free.files // 2))
        self._monitored: dict[str, MonitoredQuery] = {}
        self._next_measuring = 0.0
        self._failures = Counter[str]()
        self._closed = threading.Event()
        threading.Thread(target=self._work, name="nubbin-watch", daemon=True).start()

    @contextmanager
    def monitored(self, folder: str, stop: Callable[[], None]) -> Iterator[MonitoredQuery]:
        """Watch a query during the block; call `stop`, from another thread, if it takes too much.

        `stop` must be quick and must not raise.
        """
        monitored = self._monitored[folder] = MonitoredQuery(folder, stop)
        try:
            yield monitored
        finally:
            del self._monitored[folder]

    def close(self) -> None:
        """Look no more; once is enough."""
        self._closed.set()

    # -- the thread that looks ---------------------------------------------------------------

    def _work(self) -> None:
        next_look = 0.0
        while not self._closed.wait(_GLANCE if self._limit is not None else _YOUNG):
            started = time.monotonic()
            self._attempt(self._weigh)
            if started >= next_look and any(started - each.since > _YOUNG for each in self._now()):
                self._attempt(self._find)
                self._attempt(self._survey)
                ended = time.monotonic()
                next_look = ended + (ended - started) / _SHARE

    def _attempt(self, look: Callable[[], None]) -> None:
        """Look, whatever comes of it: a test must not put an end to the watch."""
        try:
            look()
        except Exception as error:
            self._failures[look.__name__] += 1
            if self._failures[look.__name__] == _FAILURES:
                with suppress(Warning):  # raised, if the user wants it so, but not in this thread
                    warnings.warn(
                        "It cannot be watched what tests take up, so that one that takes too much "
                        f"memory, processes or room for files is not ended: {error!r}",
                        RuntimeWarning,
                        stacklevel=2,
                    )
        else:
            self._failures[look.__name__] = 0

    def _now(self) -> list[MonitoredQuery]:
        return list(self._monitored.values())

    def _find(self) -> None:
        """Find the processes of each query, and the files that they keep in memory."""
        found: dict[str, list[int]] = {}
        for pid, folder in self._escaped.living():
            found.setdefault(folder, []).append(pid)
        for monitored in self._now():
            monitored.processes = found.get(monitored.folder, [])
            if len(monitored.processes) > PROCESSES:
                _end(monitored, f"{PROCESSES} processes")
            elif self._limit is not None:
                monitored.files = nameless(monitored.processes, "/memfd:")

    def _survey(self) -> None:
        """Look how full the disk is."""
        try:
            left = free(self._root)
        except FileNotFoundError:  # a test has removed it
            return
        # The most there ever was: what others have removed since is not ours to take.
        self._free = Room(*map(max, self._free, left))
        for most_free, now, room, kind in zip(self._free, left, self._room, (0, 1), strict=True):
            if most_free - now > room:
                taken = [(self._taken(each)[kind], each) for each in self._now()]
                most, largest = max(taken, key=itemgetter(0), default=(0, None))
                # Somebody else may fill the disk, which is none of our business.
                if largest is not None and most > room / 2:
                    _end(largest, "the room there is for temporary files")

    def _taken(self, monitored: MonitoredQuery) -> Room:
        named = filled(monitored.folder)
        removed = nameless(monitored.processes, f"{self._root}/")
        return Room(named.bytes + removed, named.files)

    def _weigh(self) -> None:
        """Look how much each query holds in memory, as far as its processes are known."""
        limit = self._limit
        for monitored in self._now():
            if limit is not None and self._exceeds(monitored, limit):
                _end(monitored, "the memory it may use")

    def _exceeds(self, monitored: MonitoredQuery, limit: int) -> bool:
        _, most = memory_bounds(monitored.processes, monitored.files)
        if most <= limit:
            return False
        # Since they were found, they may have ended, and others may have got their numbers.
        monitored.processes = [
            pid for pid in monitored.processes if self._escaped.folder_of(pid) == monitored.folder
        ]
        least, most = memory_bounds(monitored.processes, monitored.files)
        started = time.monotonic()
        if least > limit or most <= limit or started < self._next_measuring:
            return least > limit
        exact = memory(monitored.processes, monitored.files)
        ended = time.monotonic()
        self._next_measuring = ended + (ended - started) / _MEASURING
        return exact > limit


def _end(monitored: MonitoredQuery, what: str) -> None:
    if monitored.exceeded is None:
        monitored.exceeded = what
        monitored.stop()
