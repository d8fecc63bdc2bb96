"""Measure the memory of processes, the work that they have done, and the disk space of folders.

Memory is what the system cannot reclaim: memory that processes share counts, but files mapped from
a disk do not. A page that several processes hold counts once.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
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
                    path = os.readlink(each.path)  # noqa: PTH115
                    # Do not stat any other file: its disk may not answer.
                    if path.startswith(prefix) and path.endswith(" (deleted)"):
                        found = each.stat()
                        sizes[found.st_dev, found.st_ino] = found.st_blocks * _BLOCK_BYTES
    return sum(sizes.values())


class DiskSpace(NamedTuple):
    """Space on a disk: bytes, and a number of files."""

    bytes: int
    files: int


def free(folder: str) -> DiskSpace:
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
                        size += (
                            found.st_blocks
                            * _BLOCK_BYTES
                            // (1 if is_folder else found.st_nlink or 1)
                        )
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
