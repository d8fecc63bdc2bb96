"""Send commands to a running reduction, through files in the folder of its run.

Any view may write a command, and the reduction reads and removes it. A command is a small file that
is renamed when it is complete, so it is never read half-written. The folder belongs to the owner of
the reduction, and nobody else may write to it. Any other file in it is removed unread.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from nubbin.disk import Folder, NotOurs, followed
from nubbin.journal.run_folders import is_held
from nubbin_core.errors import NubbinError

NAME = "commands"
_MAX_BYTES = 4096  # of a command
_MAX_FILES = 100  # that are read at once
_MAX_JOBS = 1000

PAUSE, GO_ON, SKIP_PASS, STOP = "pause", "go-on", "skip-pass", "stop"
JOBS, MAX_QUERIES, MAX_TIME = "jobs", "max-queries", "max-time"


@dataclass(frozen=True, slots=True)
class SteeringCommand:
    """A command: its name and its value.

    The value of `skip-pass` is the name of a pass, and that of `jobs` and `max-queries` a number.
    `max-time` has a number of seconds from now, and other commands have None. Raises ValueError for
    other names and values.
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
            raise ValueError(f"{self.name!r} is not a command with the value {value!r}")


class CommandBox:
    """Reads the commands to a run, in the process that works on it.

    Commands to an earlier process are removed. Raises OSError if the folder cannot be made.
    """

    def __init__(self, run: Path):
        self._folder = run / NAME
        with Folder.made(self._folder) as folder:
            folder.remove(folder.names())

    def taken(self) -> list[SteeringCommand]:
        """Return the new commands in order, and remove them; [] on any error."""
        commands = []
        with suppress(OSError, NubbinError), Folder(self._folder) as folder:
            whole = sorted(name for name in folder.names() if not name.startswith("."))
            for name in whole[:_MAX_FILES]:
                with suppress(OSError, ValueError, TypeError, RecursionError):
                    data = folder.read(name, _MAX_BYTES)
                    commands.append(SteeringCommand(**json.loads(data)))
                folder.remove([name])
        return commands


def post(run: Path, command: SteeringCommand) -> None:
    """Send a command to a running reduction; raises NubbinError if no process would read it."""
    if not is_held(run):
        raise NubbinError("The run is not under way.")
    try:
        with Folder(followed(run)) as ours, Folder(run / NAME, within=ours.descriptor) as folder:
            name = f"{time.time_ns():020}-{os.getpid()}"
            folder.write(name, json.dumps(asdict(command)).encode())
    except (NotOurs, PermissionError) as error:
        raise NubbinError(f"Only the owner of the run may steer it: {error}") from error
    except OSError as error:
        raise NubbinError(f"nubbin cannot write to the run: {error}.") from error
