"""Other bugs that candidates show: of each kind, the smallest candidate is kept."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nubbin.disk import Folder, beginning
from nubbin.oracles.isolation.candidate_files import write

#: No more kinds than this are kept: a test may have a different output for every failure.
_MAX_KINDS = 100

#: The folder of the other bugs, in that of a run. In the folder of each are what the test printed,
#: and the candidate in a folder of its own, so that no name clashes with ours.
OTHER_BUGS, OUTPUT, INPUT = "other", "output.txt", "input"
_NEW = ".new"
_MAX_READ_BYTES = 1 << 16  # of an output, to find its telling line


@dataclass(frozen=True, slots=True)
class OtherBug:
    """A kind of failure: the folder with its candidate and output, and the line that tells most."""

    folder: Path
    line: str


def other_bugs_in(run: Path) -> list[OtherBug]:
    """Return the other bugs of a recorded run, which may be under way."""
    from nubbin.oracles.failures.failure import line_of  # noqa: PLC0415

    return [
        OtherBug(place.parent, line_of(beginning(place, _MAX_READ_BYTES) or b""))
        for place in sorted((run / OTHER_BUGS).glob(f"*/{OUTPUT}"))
    ]


class OtherBugs:
    """A folder with a folder for each kind of failure: a candidate, and the output of the test.

    The folders are named by `kind_of`. A candidate is there whole or not at all. May be used by
    several threads. Raises OSError if the folder cannot be written, and NotOurs if it is not the
    user's alone.
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
        from nubbin.oracles.failures.failure import kind_of  # noqa: PLC0415

        source = "\n".join(os.fsdecode(part) for pair in files.items() for part in pair)
        name = kind_of(output, source)
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


def _inside(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files below their folder."""
    return {f"{INPUT}/{path}": data for path, data in files.items()}


def _files(place: Path) -> list[Path]:
    return [path for path in (place / INPUT).rglob("*") if path.is_file()]
