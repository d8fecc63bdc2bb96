"""Measures what queries take while they run (memory, processes, files), and ends greedy ones.

They are measured from outside, in `/proc`, not limited from inside. A limit on the address space
refuses sanitizers and virtual machines, which reserve terabytes and use little; it holds for each
process and not for all together; and it makes a test fail in ways that may look like the bug. On a
system without `/proc`, only time is limited.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from operator import itemgetter

from nubbin.oracles.processes.resource_usage import (
    DiskSpace,
    disk_usage,
    free,
    memory,
    memory_bounds,
    unlinked_bytes,
)

MAX_PROCESSES = 1000  # of one query at a time, more than any honest test has
#: What all queries together may write, but at most half of what is free.
MAX_DISK_BYTES = 4 << 30
MAX_FILES = 1_000_000

_MIN_AGE_S = 0.1  # of a query before its processes are looked for; most end earlier
_MAX_SEARCH_TIME_FRACTION = 0.02  # spent on looking for the processes of queries
_MEMORY_PERIOD_S = 0.02  # between two measurements
_MAX_EXACT_TIME_FRACTION = 0.1  # spent on measuring exactly what processes hold
_FAILURES_BEFORE_WARNING = 20  # in a row, of one kind of look


@dataclass(eq=False, slots=True)
class MonitoredQuery:
    """A query that is being measured; `exceeded` is what it took too much of, if anything."""

    folder: str
    stop: Callable[[], None]
    since: float = field(default_factory=time.monotonic)
    processes: list[int] = field(default_factory=list)
    file_bytes: int = 0  # of files in memory that they hold open
    exceeded: str | None = None


class ResourceMonitor:
    """Measures queries by their folders, which lie in `root`.

    `processes` returns the ids of the processes of each query, by its folder.
    `limit` is how many bytes all processes of a query may hold in memory at a time, or None. A
    thread measures until `close`. No error ends it, but after several in a row a RuntimeWarning
    says that nothing is limited.
    """

    def __init__(
        self, processes: Callable[[], Mapping[str, list[int]]], root: str, limit: int | None
    ):
        self._processes = processes
        self._root = root
        self._limit = limit
        self._free = free(root)
        self._max_taken = DiskSpace(
            min(MAX_DISK_BYTES, self._free.bytes // 2), min(MAX_FILES, self._free.files // 2)
        )
        self._monitored: dict[str, MonitoredQuery] = {}
        self._next_measuring = 0.0
        self._failures = Counter[str]()
        self._closed = threading.Event()
        threading.Thread(target=self._work, name="nubbin-monitor", daemon=True).start()

    @contextmanager
    def monitored(self, folder: str, stop: Callable[[], None]) -> Iterator[MonitoredQuery]:
        """Measure a query during the block; call `stop`, from the thread, if it takes too much.

        `stop` must be quick and must not raise.
        """
        query = self._monitored[folder] = MonitoredQuery(folder, stop)
        try:
            yield query
        finally:
            del self._monitored[folder]

    def close(self) -> None:
        """End the thread soon."""
        self._closed.set()

    # -- the thread that measures ------------------------------------------------------------

    def _work(self) -> None:
        next_look = 0.0
        while not self._closed.wait(_MEMORY_PERIOD_S if self._limit is not None else _MIN_AGE_S):
            started = time.monotonic()
            self._attempt(self._check_memory)
            if started >= next_look and any(
                started - each.since > _MIN_AGE_S for each in self._queries()
            ):
                self._attempt(self._find_processes)
                self._attempt(self._check_disk)
                ended = time.monotonic()
                next_look = ended + (ended - started) / _MAX_SEARCH_TIME_FRACTION

    def _attempt(self, look: Callable[[], None]) -> None:
        """Look, and go on after any error: a test must not be able to end the thread."""
        try:
            look()
        except Exception as error:
            self._failures[look.__name__] += 1
            if self._failures[look.__name__] == _FAILURES_BEFORE_WARNING:
                with suppress(Warning):  # the user may turn warnings into errors
                    warnings.warn(
                        "nubbin cannot measure what tests take, so a test that takes too much "
                        f"memory, processes or disk space is not ended: {error!r}",
                        RuntimeWarning,
                        stacklevel=2,
                    )
        else:
            self._failures[look.__name__] = 0

    def _queries(self) -> list[MonitoredQuery]:
        return list(self._monitored.values())

    def _find_processes(self) -> None:
        """Find the processes of each query, and the files in memory that they hold open."""
        found = self._processes()
        for query in self._queries():
            query.processes = found.get(query.folder, [])
            if len(query.processes) > MAX_PROCESSES:
                _end(query, f"{MAX_PROCESSES} processes")
            elif self._limit is not None:
                query.file_bytes = unlinked_bytes(query.processes, "/memfd:")

    def _check_disk(self) -> None:
        """Look how full the disk is; if too full, end the query that takes most of it."""
        try:
            left = free(self._root)
        except FileNotFoundError:  # a test has removed it
            return
        # The most that was ever free: what others have removed since does not count.
        self._free = DiskSpace(*map(max, self._free, left))
        for kind, max_taken in enumerate(self._max_taken):
            if self._free[kind] - left[kind] > max_taken:
                taken = [(self._taken(each)[kind], each) for each in self._queries()]
                most, largest = max(taken, key=itemgetter(0), default=(0, None))
                # Otherwise another program fills the disk.
                if largest is not None and most > max_taken / 2:
                    _end(largest, "the room there is for temporary files")

    def _taken(self, query: MonitoredQuery) -> DiskSpace:
        named = disk_usage(query.folder)
        removed = unlinked_bytes(query.processes, f"{self._root}/")
        return DiskSpace(named.bytes + removed, named.files)

    def _check_memory(self) -> None:
        """Look how much memory the known processes of each query hold."""
        limit = self._limit
        for query in self._queries():
            if limit is not None and self._exceeds(query, limit):
                _end(query, "the memory it may use")

    def _exceeds(self, query: MonitoredQuery, limit: int) -> bool:
        _, most = memory_bounds(query.processes, query.file_bytes)
        if most <= limit:
            return False
        # Some may have ended since they were found, and their ids may be those of strangers now.
        query.processes = self._processes().get(query.folder, [])
        least, most = memory_bounds(query.processes, query.file_bytes)
        started = time.monotonic()
        if least > limit or most <= limit or started < self._next_measuring:
            return least > limit
        exact = memory(query.processes, query.file_bytes)
        ended = time.monotonic()
        self._next_measuring = ended + (ended - started) / _MAX_EXACT_TIME_FRACTION
        return exact > limit


def _end(query: MonitoredQuery, what: str) -> None:
    if query.exceeded is None:
        query.exceeded = what
        query.stop()
