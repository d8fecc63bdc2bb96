"""Commands to a run under way, left in its folder: any view may write one, the reduction takes it.

A command is a small file that is made elsewhere and then renamed, so that it is there whole or not
at all. Only files that belong to the owner of the reduction count, in a folder that nobody else may
write to; whatever else lies there is removed unread.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any, Self

from nubbin.journal.lock import is_held
from nubbin.oracles.errors import NubbinError

NAME = "commands"
_PART = ".part"
_MAX_BYTES = 4096  # of a command
_MAX_FILES = 100  # that are looked at in one go
_MAX_JOBS = 1000

PAUSE, GO_ON, SKIP_PASS, STOP = "pause", "go-on", "skip-pass", "stop"
JOBS, MAX_QUERIES, MAX_TIME = "jobs", "max-queries", "max-time"


@dataclass(frozen=True, slots=True)
class Command:
    """A command by its name, and its value.

    The value of `skip-pass` is the pass, of `jobs` and `max-queries` a number, of `max-time` a
    number of seconds from now, of others None. Raises ValueError for other values and names.
    """

    name: str
    value: str | float | None = None

    def __post_init__(self) -> None:
        value = self.value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_whole = is_number and isinstance(value, int) and value >= 1
        good = {
            PAUSE: value is None,
            GO_ON: value is None,
            STOP: value is None,
            SKIP_PASS: isinstance(value, str),
            JOBS: is_whole and int(value or 0) <= _MAX_JOBS,
            MAX_QUERIES: is_whole,
            MAX_TIME: is_number and 0 < float(value or 0) < float("inf"),
        }
        if not good.get(self.name, False):
            raise ValueError(f"{self.name!r} is no command with the value {value!r}")

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return a command from JSON values; raises ValueError or TypeError for others."""
        return cls(**values)


class CommandBox:
    """The commands to a run, for the one process that works on it; raises OSError for no folder.

    What was left for an earlier process is removed.
    """

    def __init__(self, run: Path):
        self._folder = run / NAME
        with suppress(FileExistsError):
            self._folder.mkdir(mode=0o700)
        self._discard()

    def _discard(self) -> None:
        with _opened(self._folder) as folder:
            for entry in os.scandir(folder):
                _remove(entry.name, folder)

    def taken(self) -> list[Command]:
        """Return the commands that have come, in order, and remove them; none on any error."""
        commands = []
        with suppress(OSError, NubbinError), _opened(self._folder) as folder:
            names = {entry.name for entry in os.scandir(folder)}
            whole = sorted(name for name in names if not name.endswith(_PART))
            for name in whole[:_MAX_FILES]:
                with suppress(OSError, ValueError, TypeError, RecursionError):
                    commands.append(Command.from_json(json.loads(_read(name, folder))))
                _remove(name, folder)
        return commands


def post(run: Path, command: Command) -> None:
    """Leave a command for a run under way; raises NubbinError if nobody would take it."""
    if not is_held(run):
        raise NubbinError("The run is not under way.")
    try:
        with _opened(run / NAME) as folder:
            name = f"{time.time_ns():020}-{os.getpid()}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            file = os.open(f"{name}{_PART}", flags, 0o600, dir_fd=folder)
            with os.fdopen(file, "w", encoding="utf-8") as writing:
                json.dump(asdict(command), writing)
            os.rename(f"{name}{_PART}", name, src_dir_fd=folder, dst_dir_fd=folder)
    except PermissionError as error:
        raise _not_yours(run / NAME) from error
    except OSError as error:
        raise NubbinError(f"The run cannot be told: {error}.") from error


@contextmanager
def _opened(place: Path) -> Iterator[int]:
    """Open the folder of commands; raises OSError, and NubbinError if others may write to it."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    folder = os.open(place, flags)
    try:
        about = os.fstat(folder)
        if about.st_uid != os.geteuid() or about.st_mode & 0o022:
            raise _not_yours(place)
        yield folder
    finally:
        os.close(folder)


def _not_yours(place: Path) -> NubbinError:
    return NubbinError(
        f"Only the owner of the run may steer it, and nobody else may write to {place}."
    )


def _read(name: str, folder: int) -> bytes:
    """Return the bytes of a file of our own; raises OSError for anything else."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open(name, flags, dir_fd=folder)
    try:
        about = os.fstat(file)
        if not S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
            raise PermissionError(name)
        return os.read(file, _MAX_BYTES)
    finally:
        os.close(file)


def _remove(name: str, folder: int) -> None:
    """Remove a file, or a folder if it is empty; leave what cannot be removed."""
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.rmdir(name, dir_fd=folder)
