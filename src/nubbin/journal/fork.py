"""A copy of a recorded run up to one of its candidates, to go on from there in another way."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from nubbin.disk import Folder, followed
from nubbin.journal import reading, schema
from nubbin.journal.journal import Journal
from nubbin.journal.mark import check_own


def fork(
    run: Path, number: int | None, folder: Path, changes: Mapping[str, Any], *, trust: bool = False
) -> None:
    """Copy a run into a new folder, up to an accepted candidate, by default the best.

    The copy begins with that candidate; `changes` replace facts in its journal. Raises NubbinError
    if there is no such candidate, if the run is damaged, or if the user did not record it, unless
    that does not matter (`trust`); OSError if the copy cannot be written.
    """
    if not trust:
        check_own(run)
    with reading.reading(run) as store:
        keys = {row.number: row.key for row in reading.accepted(store, run)}
        start = len(keys) if number is None else number
        if start not in keys:
            raise reading.no_candidate(run, number)
        Journal.create(folder).close()
        with Folder(followed(folder)) as ours, closing(schema.opened_for_writing(ours)) as copy:
            store.backup(copy)
    with Journal(folder, trust=trust) as journal:
        journal.go_back(keys[start], reading.candidate(folder, start))
        journal.tell(sessions=[], ended=None, **changes)
        journal.start_over(answers=True)
