"""Read a recorded run repeatedly for a view, each time only the new part."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from nubbin.journal.recorded_run import RecordedRun, RunFigures, end_of
from nubbin.journal.run_facts import DifferentFailure, Tally, different_failures_in
from nubbin.journal.run_folders import folders_in
from nubbin.reduction.job import Job
from nubbin_core.errors import NubbinError

_MAX_SILENCE_S = 10.0  # of a running process, which writes a tally twice a second
_RATE_READS = 10  # over which the query rate is measured: about five seconds
_FIGURES_PERIOD_S = 2.0  # between two counts of the runs of the test
_UNPACKING_S = 1.0  # to unpack candidates, in each reading


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a view shows of a recorded run at an instant, under way or ended.

    `silence` is the number of seconds since the last tally, and `per_second` the current rate of
    queries. `figures` are those of the runs of the test, and `estimate` the queries that an earlier
    run took.
    """

    run: RecordedRun
    job: Job
    silence: float
    per_second: float
    figures: RunFigures
    different_failures: Sequence[DifferentFailure]
    estimate: int | None

    @property
    def name(self) -> str:
        """The name of the input."""
        return Path(self.run.facts.root, self.run.facts.name).name

    @property
    def unread(self) -> int:
        """The number of steps whose candidates are not unpacked yet."""
        return len(self.run.steps) - self.run.unpacked

    @property
    def is_paused(self) -> bool:
        """Whether the run is under way, but paused."""
        tally = self.run.tally
        return self.is_under_way and tally is not None and tally.is_paused

    @property
    def is_silent(self) -> bool:
        """Whether the run is under way, but has been silent, for example after Ctrl-Z."""
        return self.is_under_way and self.silence > _MAX_SILENCE_S

    @property
    def is_under_way(self) -> bool:
        """Whether a process works on the run."""
        return end_of(self.run.state).is_under_way


class RunReader:
    """A recorded run, for one view; used by one thread at a time."""

    def __init__(self, run: Path):
        self._run = RecordedRun(run)
        self._pace: deque[tuple[float, int]] = deque(maxlen=_RATE_READS)
        self._news = 0.0, time.monotonic()  # the time in the last tally, and when it was read
        self._figures, self._figures_at = RunFigures(), -_FIGURES_PERIOD_S
        self._estimate: int | None = None
        self._has_looked = False  # for an estimate; once, because reading other runs takes long

    def read(self) -> Snapshot:
        """Return the current state; raises NubbinError if the run is unreadable or never began."""
        run = self._run
        run.read_on(_UNPACKING_S)
        if time.monotonic() - self._figures_at >= _FIGURES_PERIOD_S:
            self._figures, self._figures_at = run.figures(), time.monotonic()
        if not self._has_looked:
            self._has_looked, self._estimate = True, _estimate(run)
        self._pace.append((run.seconds, run.queries))
        since, before = self._pace[0]
        now = copy(run)  # a thread may read on while the view draws this one
        now.steps = list(run.steps)
        return Snapshot(
            now,
            Job.of(run.facts, {}),
            self._silence(run.tally),
            (run.queries - before) / (run.seconds - since) if run.seconds > since else 0.0,
            self._figures,
            different_failures_in(run.folder),
            self._estimate if run.facts.is_undisturbed else None,
        )

    def _silence(self, tally: Tally | None) -> float:
        if tally is not None and tally.at != self._news[0]:
            self._news = tally.at, time.monotonic()
        return time.monotonic() - self._news[1]


def _estimate(run: RecordedRun) -> int | None:
    """Return the queries of the last complete run beside this one that is like it; None if none is.

    It must have the same input, test and options, and both must be undisturbed. Then the queries
    will be the same, unless the test is flaky. There is no other estimate: the number of queries
    depends on the input, and the first phases do not predict the last.
    """
    found: list[tuple[float, int]] = []
    for folder in folders_in(run.folder.parent.parent):
        try:
            earlier = RecordedRun.open(folder)
        except NubbinError:
            continue
        if (
            end_of(earlier.facts.ended or "").is_done
            and earlier.facts.is_undisturbed
            and earlier.tally is not None
            and earlier.steps[0].key == run.steps[0].key
            and earlier.facts.is_same_job(run.facts)
            and folder.resolve() != run.folder.resolve()
        ):
            found.append((earlier.begun, earlier.tally.queries))
    return max(found, key=lambda each: each[0])[1] if found else None
