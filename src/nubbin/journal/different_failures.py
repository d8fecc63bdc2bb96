"""Keep the smallest candidate for each different failure that a reduction meets."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nubbin.disk import Folder, beginning
from nubbin.oracles.failures.conditions import Ended
from nubbin.oracles.isolation.candidate_files import write_files
from nubbin_core.late import late

_kind_of = late("nubbin.oracles.failures.failure:FailureKind.of")
_line_of = late("nubbin.oracles.failures.failure:line_of")

#: The most kinds that are kept: a test may print something different for every candidate.
_MAX_KINDS = 100

#: The folder of the different failures in the folder of a run. The folder of each has the output of
#: the test, and the candidate in a folder of its own, so that their names cannot clash.
DIFFERENT_FAILURES, SAID, INPUT = "other", "output.txt", "input"
_NEW = ".new"
_MAX_READ_BYTES = 1 << 16  # of an output, to find its telling line


@dataclass(frozen=True, slots=True)
class DifferentFailure:
    """A kind of failure that is not the one of the input, in a folder of its own.

    `line` is its most telling line. A page also has the `files` that show it, and the `output`.
    """

    folder: Path
    line: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    output: bytes = b""

    @property
    def size(self) -> int:
        """The bytes of the files."""
        return sum(map(len, self.files.values()))


def different_failures_in(run: Path) -> list[DifferentFailure]:
    """Return the different failures of a recorded run, which may be under way, without files."""
    return [
        DifferentFailure(place.parent, _line_of(beginning(place, _MAX_READ_BYTES) or b""))
        for place in sorted((run / DIFFERENT_FAILURES).glob(f"[!.]*/{SAID}"))
    ]


class DifferentFailures:
    """A folder with a folder for each kind of failure: a candidate, and the output of the test.

    `FailureKind.key` names the folders. Each candidate is written completely or not at all. May be
    used by several threads. Raises OSError if the folder cannot be written, and NotOurs if other
    users may write to it.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._lock = threading.Lock()
        self._sizes = {
            place.parent.name: sum(
                file.stat().st_size for file in place.with_name(INPUT).rglob("*") if file.is_file()
            )
            for place in folder.glob(f"[!.]*/{SAID}")
        }

    def keep(self, files: Mapping[str, bytes], ended: Ended) -> None:
        """Keep a candidate if it is the first or the smallest of its kind."""
        source = "\n".join(os.fsdecode(part) for pair in files.items() for part in pair)
        name = _kind_of(ended, source).key
        size = sum(map(len, files.values()))
        with self._lock:
            is_full = len(self._sizes) >= _MAX_KINDS
            if size >= self._sizes.get(name, -1 if is_full else size + 1):
                return
            self._sizes[name] = size
            with Folder.made(self._folder) as folder:
                folder.remove([_NEW])  # left by a process that was killed
                folder.folder(_NEW).close()
                inputs = {f"{INPUT}/{path}": data for path, data in files.items()}
                write_files({SAID: ended.printed, **inputs}, _NEW, dir_fd=folder.descriptor)
                folder.remove([name])
                folder.rename(_NEW, name)

    def __len__(self) -> int:
        return len(self._sizes)
