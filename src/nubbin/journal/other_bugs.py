"""Other bugs that candidates show: of each kind, the smallest candidate is kept."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG

from nubbin.disk import Folder
from nubbin.oracles.candidate_files import write

#: No more kinds than this are kept: a test may have a different output for every failure.
_MAX_KINDS = 100

_TELLING = re.compile(
    r"error|assert|fatal|panic|abort|exception|fault|violation|overflow|sanitizer", re.IGNORECASE
)
#: The folder of the other bugs, in that of a run. In the folder of each are what the test printed,
#: and the candidate in a folder of its own, so that no name clashes with ours.
OTHER_BUGS, OUTPUT, INPUT = "other", "output.txt", "input"
_NEW = ".new"
_MAX_READ_BYTES = 1 << 16  # of an output, to find its telling line


@dataclass(frozen=True, slots=True)
class OtherBug:
    """A kind of failure: the folder with its candidate and output, and what tells the kind."""

    folder: Path
    signature: str


def other_bugs_in(run: Path) -> list[OtherBug]:
    """Return the other bugs of a recorded run, which may be under way."""
    return [
        OtherBug(place.parent, bug_signature(_beginning(place)))
        for place in sorted((run / OTHER_BUGS).glob(f"*/{OUTPUT}"))
    ]


class OtherBugs:
    """A folder with a folder for each kind of failure: a candidate, and the output of the test.

    Failures are of one kind if they have the same `bug_signature`. A candidate is there whole or
    not at all. May be used by several threads. Raises OSError if the folder cannot be written, and
    NotOurs if it is not the user's alone.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._lock = threading.Lock()
        self._sizes = {
            place.parent.name: sum(file.stat().st_size for file in _files(place.parent))
            for place in folder.glob(f"[!.]*/{OUTPUT}")
        }

    def keep(self, files: Mapping[str, bytes], output: bytes) -> None:
        """Keep a candidate if it is the first or the smallest of its kind."""
        name = blake2b(bug_signature(output).encode(), digest_size=6).hexdigest()
        size = sum(map(len, files.values()))
        with self._lock:
            if size >= self._sizes.get(name, size + 1):
                return
            if name not in self._sizes and len(self._sizes) >= _MAX_KINDS:
                return
            self._sizes[name] = size
            with Folder.made(self._folder) as folder:
                folder.remove([_NEW])  # left by a process that was killed
                folder.folder(_NEW).close()
                write({OUTPUT: output, **_inside(files)}, _NEW, dir_fd=folder.descriptor)
                folder.remove([name])
                folder.rename(_NEW, name)

    def __len__(self) -> int:
        return len(self._sizes)


def bug_signature(output: bytes) -> str:
    """Return the most telling line of an output, without numbers, quoted names and folders.

    These may differ between failures of one kind.
    """
    lines = [line.strip() for line in output.decode(errors="replace").splitlines()]
    lines = [line for line in lines if line]
    telling = [line for line in lines if _TELLING.search(line)] or lines[-1:]
    line = telling[0] if telling else ""
    line = re.sub(r"'[^']*'|\"[^\"]*\"|`[^']*'|‘[^’]*’", "''", line)
    line = re.sub(r"\S*/", "", line)
    return re.sub(r"0x[0-9a-f]+|\d+", "#", line)[:200]


def _beginning(place: Path) -> bytes:
    """Return the first bytes of a file; none if it is gone by now, or no file."""
    try:
        file = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, _MAX_READ_BYTES) if S_ISREG(os.fstat(file).st_mode) else b""
    finally:
        os.close(file)


def _inside(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files below their folder."""
    return {f"{INPUT}/{path}": data for path, data in files.items()}


def _files(place: Path) -> list[Path]:
    return [path for path in (place / INPUT).rglob("*") if path.is_file()]
