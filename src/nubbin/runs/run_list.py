"""List the recorded runs in a folder, each as a line shows it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin.journal import schema
from nubbin.journal.reading import DamagedJournal
from nubbin.journal.run_folders import folders_in
from nubbin.runs.ends import end_of
from nubbin.runs.recorded_run import RecordedRun
from nubbin_core.errors import NubbinError


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A recorded run. `state` is that of `RecordedRun`, or `damaged`, or `other-version`.

    Sizes are in bytes. If nubbin cannot read the run, they are 0, and `begun` is the time at which
    its journal was last written.
    """

    folder: Path
    state: str
    before: int
    after: int
    queries: int
    begun: float

    @property
    def resumable(self) -> bool:
        """Whether `nubbin resume` can continue the run."""
        return end_of(self.state).can_continue


def runs_in(folder: Path) -> list[ListedRun]:
    """Return the runs in a folder, the latest last."""
    found = [run for place in folders_in(folder) for run in listed_run(place)]
    return sorted(found, key=lambda run: run.begun)


def listed_run(folder: Path) -> list[ListedRun]:
    """Return the run that a folder is, if it is one."""
    try:
        run = RecordedRun.open(folder)
    except DamagedJournal:
        return [_unread(folder, "damaged")]
    except schema.OtherVersion:
        return [_unread(folder, "other-version")]
    except NubbinError:
        return []
    before, after = run.steps[0].bytes, run.steps[-1].bytes
    return [ListedRun(folder, run.state, before, after, run.queries, run.begun)]


def _unread(folder: Path, state: str) -> ListedRun:
    return ListedRun(folder, state, 0, 0, 0, (folder / schema.FILE).lstat().st_mtime)
