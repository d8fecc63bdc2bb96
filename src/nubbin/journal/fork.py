"""A copy of a recorded run up to one of its candidates, to go on from there in another way."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from nubbin.journal import reading, tables
from nubbin.journal.journal import Journal


def fork(run: Path, number: int | None, folder: Path, changes: Mapping[str, Any]) -> None:
    """Copy a run into a new folder, up to an accepted candidate, by default the best.

    The copy begins with that candidate; `changes` replace facts in its journal. Raises NubbinError
    if there is no such candidate, or the run is damaged; OSError if the copy cannot be written.
    """
    with reading.reading(run) as store:
        keys = {row.number: row.key for row in reading.accepted(store, run)}
        start = len(keys) if number is None else number
        if start not in keys:
            raise reading.no_candidate(run, number)
        Journal.create(folder).close()
        with closing(sqlite3.connect(folder / tables.FILE)) as copy:
            store.backup(copy)
    with Journal(folder) as journal:
        journal.go_back(keys[start])
        journal.tell(sessions=[], ended=None, **changes)
        journal.start_over(answers=True)
