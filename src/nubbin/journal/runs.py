"""The runs in a folder: where new ones go, and what became of the others."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from nubbin.journal import tables
from nubbin.journal.lock import is_held

#: The folder beside a result that holds its runs.
RUNS = ".nubbin"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded run: `state` is `running`, `died`, or why it ended; sizes are in bytes."""

    folder: Path
    state: str
    before: int
    after: int
    queries: int
    begun: float

    @property
    def resumable(self) -> bool:
        """Whether there is something left to do."""
        return self.state not in {"running", "fixpoint"}


def new_run(beside: Path, name: str) -> Path:
    """Return a folder for a new run beside a result, which does not exist yet."""
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(folder for name in names if not (folder := beside / RUNS / name).exists())


def runs_in(folder: Path) -> list[Recorded]:
    """Return the runs of a folder, the latest last; what holds no journal is left out."""
    places = (folder / RUNS).glob(f"*/{tables.FILE}")
    found = [run for place in places if (run := _read(place)) is not None]
    return sorted(found, key=lambda run: run.begun)


def _read(place: Path) -> Recorded | None:
    held = is_held(place.parent)  # first: a run that ends meanwhile has said so by then
    try:
        with tables.looking_at(place) as store:
            about = tables.about(store)
            sizes = store.execute("SELECT bytes, at FROM accepted ORDER BY number").fetchall()
            (queries,) = store.execute("SELECT count(*) FROM verdicts").fetchone()
    except sqlite3.Error:
        return None
    if not sizes:
        return None
    state = "running" if held else about.get("ended") or "died"
    return Recorded(place.parent, state, sizes[0][0], sizes[-1][0], queries, sizes[0][1])
