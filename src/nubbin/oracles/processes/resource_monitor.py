"""Measure the memory, processes and files of running queries, and end those that take too much.

They are measured from outside, in `/proc`, and not limited from inside. A limit on the address
space rejects sanitizers and virtual machines, which reserve terabytes and use little. It holds for
each process and not for their sum. And a test that exceeds it may fail as if by the bug. On a
system without `/proc`, only time and disk space are limited.

Memory is what the system cannot reclaim: memory that processes share counts, but files mapped from
a disk do not. A page that several processes hold counts once.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from nubbin.pattern import pattern

_FIELD = pattern(rb"^(\w+):\s+(\d+) kB$", re.MULTILINE)
_BLOCK_BYTES = 512  # of st_blocks, on every file system


class Work(NamedTuple):
    """The work of processes: seconds of processor time, and bytes that they have written."""

    seconds: float = 0.0
    written: int = 0


def work(pids: Iterable[int]) -> Work:
    """Return the work of processes, including their children that have ended."""
    ticks = written = 0
    for pid in pids:
        with suppress(OSError):
            # The name of the program comes before, and may hold anything.
            stat = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            ticks += sum(map(int, stat[11:15]))
            said = Path(f"/proc/{pid}/io").read_bytes()
            written += int(said.partition(b"wchar: ")[2].partition(b"\n")[0])
    return Work(ticks / os.sysconf("SC_CLK_TCK"), written)


def memory_bounds(pids: Iterable[int], file_bytes: int) -> tuple[int, int]:
    """Return the least and the most bytes of memory that processes may hold.

    `file_bytes` is the size of the files in memory that they hold open. Costs 20 microseconds per
    process.
    """
    private, shared = [0], 0
    for pid in pids:
        fields = _fields(pid, "status")
        private.append(fields.get(b"RssAnon", 0) + fields.get(b"VmSwap", 0))
        shared += fields.get(b"RssShmem", 0)
    # Processes share pages after a fork, and one of them may map a page more than once.
    return max(*private, file_bytes), sum(private) + max(shared, file_bytes)


def memory(pids: Iterable[int], file_bytes: int) -> int:
    """Return the bytes of memory that processes hold.

    `file_bytes` is the size of the files in memory that they hold open, and may have mapped. Costs
    100 milliseconds per GB.
    """
    private = shared = 0
    for pid in pids:
        fields = _fields(pid, "smaps_rollup")
        # A kernel before 5.4 has only the sum, which includes files mapped from a disk.
        private += fields.get(b"Pss_Anon", fields.get(b"Pss", 0)) + fields.get(b"SwapPss", 0)
        shared += fields.get(b"Pss_Shmem", 0)
    return private + max(shared, file_bytes)


def unlinked_bytes(pids: Iterable[int], prefix: str) -> int:
    """Return the size of the files without a name that processes hold open.

    Only files whose former path begins with `prefix` count: the path of a folder, or /memfd: for
    files that never had a name.
    """
    sizes = {}
    for pid in pids:
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as descriptors:
            for each in descriptors:
                with suppress(OSError):
                    path = os.readlink(each.path)
                    # Do not stat any other file: its disk may not answer.
                    if path.startswith(prefix) and path.endswith(" (deleted)"):
                        found = each.stat()
                        sizes[found.st_dev, found.st_ino] = found.st_blocks * _BLOCK_BYTES
    return sum(sizes.values())


class DiskSpace(NamedTuple):
    """Space on a disk: bytes, and a number of files."""

    bytes: int
    files: int


def free_space(folder: str) -> DiskSpace:
    """Return the free space on the disk of a folder; raises OSError."""
    system = os.statvfs(folder)
    return DiskSpace(system.f_bavail * system.f_frsize, system.f_favail)


def disk_usage(folder: str) -> DiskSpace:
    """Return the disk space of a folder and everything in it.

    It is infinite if it cannot be measured: a part is locked, or deeper than paths can be long.
    """
    size = files = 0
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):  # removed in the meantime
                        found = entry.stat(follow_symlinks=False)
                        is_folder = entry.is_dir(follow_symlinks=False)
                        links = 1 if is_folder else found.st_nlink or 1
                        size += found.st_blocks * _BLOCK_BYTES // links
                        files += 1
                        if is_folder:
                            folders.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return DiskSpace(sys.maxsize, sys.maxsize)
    return DiskSpace(size, files)


def _fields(pid: int, file: str) -> dict[bytes, int]:
    """Return the sizes in a /proc file of a process, in bytes; {} if it has ended."""
    with suppress(OSError):
        text = Path(f"/proc/{pid}/{file}").read_bytes()
        return {name: int(kilobytes) << 10 for name, kilobytes in _FIELD.findall(text)}
    return {}


MAX_PROCESSES = 1000  # of one query at a time, more than any honest test has
#: The most that all queries together may write; half of the free space if that is less.
MAX_DISK_BYTES = 4 << 30
MAX_FILES = 1_000_000

_MIN_AGE_S = 0.1  # of a query before nubbin looks for its processes; most queries end earlier
_MAX_SEARCH_TIME_FRACTION = 0.02  # of the time, to look for the processes of queries
_MEMORY_PERIOD_S = 0.02  # between two measurements
_MAX_EXACT_TIME_FRACTION = 0.1  # of the time, to measure exactly how much memory processes hold
_FAILURES_BEFORE_WARNING = 20  # of the same measurement, in a row


@dataclass(eq=False, slots=True)
class MonitoredQuery:
    """A query that is measured; `exceeded` is the resource that it took too much of, if any."""

    folder: str
    stop: Callable[[], None]
    since: float = field(default_factory=time.monotonic)
    processes: list[int] = field(default_factory=list)
    file_bytes: int = 0  # of files in memory that its processes hold open
    exceeded: str | None = None


class ResourceMonitor:
    """Measures queries by their folders in `root`.

    `processes` returns the ids of the processes of each query, by its folder. `limit` is the number
    of bytes that all processes of a query may hold in memory together, or None. A thread measures
    until `close`. No error ends it, but after several in a row a RuntimeWarning says that there is
    no limit.
    """

    def __init__(
        self, processes: Callable[[], Mapping[str, list[int]]], root: str, limit: int | None
    ):
        self._processes = processes
        self._root = root
        self._limit = limit
        self._free = free_space(root)
        self._max_taken = DiskSpace(
            min(MAX_DISK_BYTES, self._free.bytes // 2), min(MAX_FILES, self._free.files // 2)
        )
        self._monitored: dict[str, MonitoredQuery] = {}
        self._next_measuring = 0.0
        self._failures = Counter[str]()
        self._closed = threading.Event()
        self.close = self._closed.set  # lets the thread end soon
        threading.Thread(target=self._work, name="nubbin-monitor", daemon=True).start()

    @contextmanager
    def monitored(self, folder: str, stop: Callable[[], None]) -> Iterator[MonitoredQuery]:
        """Measure a query during the block; the thread calls `stop` if the query takes too much.

        `stop` must be quick and must not raise.
        """
        query = self._monitored[folder] = MonitoredQuery(folder, stop)
        try:
            yield query
        finally:
            del self._monitored[folder]

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
        """Measure, and continue after any error: a test must not be able to end the thread."""
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
        """Measure the free space of the disk; if too little, end the query that uses the most."""
        try:
            left = free_space(self._root)
        except FileNotFoundError:  # a test has removed the root
            return
        # The most that was ever free: space that others free does not hide what queries take.
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
        limit = self._limit
        for query in self._queries():
            if limit is not None and self._exceeds(query, limit):
                _end(query, "the memory it may use")

    def _exceeds(self, query: MonitoredQuery, limit: int) -> bool:
        _, most = memory_bounds(query.processes, query.file_bytes)
        if most <= limit:
            return False
        # Some may have ended since the search, and other programs may have their ids now.
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
