"""How much memory processes hold, and what folders take up: what `/proc` and the disk say.

Memory is what the system cannot have back: not what is mapped from files on a disk, but what
processes share is. A page that several of them hold counts once.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_FIELD = re.compile(rb"^(\w+):\s+(\d+) kB$", re.MULTILINE)
_BLOCK = 512  # bytes, whatever the file system calls a block


def memory_bounds(pids: Iterable[int], files: int) -> tuple[int, int]:
    """Return the least and the most bytes that processes, and `files` of theirs, hold in memory.

    Costs 20 microseconds a process.
    """
    private, shared = [0], 0
    for pid in pids:
        said = _fields(pid, "status")
        private.append(said.get(b"RssAnon", 0) + said.get(b"VmSwap", 0))
        shared += said.get(b"RssShmem", 0)
    # Processes hold pages in common after a fork, and one may map a page more than once.
    return max(*private, files), sum(private) + max(shared, files)


def memory(pids: Iterable[int], files: int) -> int:
    """Return the bytes that processes, and `files` of theirs, which they may map, hold in memory.

    Costs 100 milliseconds for each GB.
    """
    private = shared = 0
    for pid in pids:
        said = _fields(pid, "smaps_rollup")
        # A kernel before 5.4 tells no more than the sum, with what is mapped from a disk.
        private += said.get(b"Pss_Anon", said.get(b"Pss", 0)) + said.get(b"SwapPss", 0)
        shared += said.get(b"Pss_Shmem", 0)
    return private + max(shared, files)


def nameless(pids: Iterable[int], start: str) -> int:
    """Return the bytes in files without a name that processes have open.

    Only those count whose place, as the system tells it, begins with `start`: a folder, or
    /memfd: for files that never had a name.
    """
    sizes = {}
    for pid in pids:
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as descriptors:
            for each in descriptors:
                with suppress(OSError):
                    place = os.readlink(each.path)  # noqa: PTH115
                    # No other is looked at more closely: its disk may not answer.
                    if place.startswith(start) and place.endswith(" (deleted)"):
                        seen = each.stat()
                        sizes[seen.st_dev, seen.st_ino] = seen.st_blocks * _BLOCK
    return sum(sizes.values())


class Room(NamedTuple):
    """Room on a disk: bytes, and how many files."""

    bytes: int
    files: int


def free(folder: str) -> Room:
    """Return what there is room for on the disk of a folder; raises OSError."""
    system = os.statvfs(folder)
    return Room(system.f_bavail * system.f_frsize, system.f_favail)


def filled(folder: str) -> Room:
    """Return what all in a folder takes up.

    Infinitely much where it is locked, or deeper than paths can be long, for then nobody knows.
    """
    size = files = 0
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):  # removed in the meantime
                        seen = entry.stat(follow_symlinks=False)
                        is_folder = entry.is_dir(follow_symlinks=False)
                        size += seen.st_blocks * _BLOCK // (1 if is_folder else seen.st_nlink or 1)
                        files += 1
                        if is_folder:
                            folders.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return Room(sys.maxsize, sys.maxsize)
    return Room(size, files)


def _fields(pid: int, file: str) -> dict[bytes, int]:
    """Return what a file of /proc says of a process, in bytes; nothing when it has ended."""
    with suppress(OSError):
        said = Path(f"/proc/{pid}/{file}").read_bytes()
        return {name: int(kilobytes) << 10 for name, kilobytes in _FIELD.findall(said)}
    return {}
