"""The folders of recorded runs: new ones, and those of the others."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import count
from pathlib import Path

from nubbin.journal import tables

#: The folder beside a result that holds its runs.
RUNS = ".nubbin"


def new_run(beside: Path, name: str) -> Path:
    """Make the folder of a new run beside a result and return it; raises OSError if that fails.

    Runs that begin in the same second get folders of their own.
    """
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    runs = beside / RUNS
    try:
        runs.mkdir(exist_ok=True)
        for number in count(1):
            folder = runs / (stem if number == 1 else f"{stem}-{number}")
            with suppress(FileExistsError):
                folder.mkdir()
                break
    except OSError as error:
        raise OSError(f"the run cannot be recorded in {runs}: {error}") from error
    return folder


def folders_in(folder: Path) -> list[Path]:
    """Return the folders of the runs of a folder."""
    return [place.parent for place in (folder / RUNS).glob(f"*/{tables.FILE}")]
