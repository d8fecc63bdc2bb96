"""The recorded runs in a folder: new ones, and the state of the others."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from nubbin.journal import reading, tables
from nubbin.journal.lock import is_held
from nubbin.journal.reading import DamagedJournal
from nubbin.oracles.errors import NubbinError

#: The folder beside a result that holds its runs.
RUNS = ".nubbin"


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A recorded run: `state` is `running`, `died`, `damaged`, `other-version`, or why it ended.

    Sizes are in bytes; of a run that is damaged, or was recorded by another version of nubbin, they
    are 0, and it began when its journal was last written.
    """

    folder: Path
    state: str
    before: int
    after: int
    queries: int
    begun: float

    @property
    def resumable(self) -> bool:
        """Whether `nubbin resume` has something to do."""
        return self.state not in {"running", "fixpoint", "other-version"}


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


def runs_in(folder: Path) -> list[RecordedRun]:
    """Return the runs of a folder, the latest last; what holds no journal is left out."""
    found = [run for place in folders_in(folder) if (run := _read(place)) is not None]
    return sorted(found, key=lambda run: run.begun)


def folders_in(folder: Path) -> list[Path]:
    """Return the folders of the runs of a folder."""
    return [place.parent for place in (folder / RUNS).glob(f"*/{tables.FILE}")]


def _read(run: Path) -> RecordedRun | None:
    held = is_held(run)  # first: if the run ends meanwhile, its journal says so by then
    try:
        with reading.reading(run) as store:
            facts = reading.facts(store, run)
            accepted = list(reading.accepted(store, run))
            # Not count(*), which is one instruction, however many pages: `tables.bounded`.
            (queries,) = store.execute("SELECT count(seal) FROM verdicts").fetchone()
    except DamagedJournal:
        return _unread(run, "damaged")
    except tables.OtherVersion:
        return _unread(run, "other-version")
    except NubbinError:
        return None
    if not accepted:
        return None
    first, last = accepted[0], accepted[-1]
    state = "running" if held else facts.ended or "died"
    # A fork begins later than its first candidate.
    begun = facts.sessions[0].begun if facts.sessions else first.at
    return RecordedRun(run, state, first.bytes, last.bytes, queries, begun)


def _unread(run: Path, state: str) -> RecordedRun:
    return RecordedRun(run, state, 0, 0, 0, (run / tables.FILE).lstat().st_mtime)
