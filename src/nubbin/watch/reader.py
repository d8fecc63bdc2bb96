"""Reads a recorded run again and again, each time only what is new; disturbs nobody."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from nubbin.journal import reading, tables
from nubbin.journal.facts import RunFacts
from nubbin.journal.lock import is_held
from nubbin.journal.other_bugs import other_bugs_in
from nubbin.journal.run_figures import RunFigures, run_figures
from nubbin.journal.tables import Accepted
from nubbin.journal.tally import Tally
from nubbin.oracles.errors import NubbinError
from nubbin.reduction.job import Job
from nubbin.watch.estimate import Estimate, estimate
from nubbin.watch.snapshot import Snapshot
from nubbin.watch.time_axis import Steps, TimeAxis

_RATE_READS = 10  # over which the query rate is measured: some five seconds
_FIGURES_PERIOD_S = 2.0  # between two counts of all runs of the test
_UNPACKING_S = 1.0  # of candidates in one reading: of a long run, the best comes little by little


@contextmanager
def as_written(run: Path) -> Iterator[None]:
    """Turn what comes of a journal that nubbin has not written so into a NubbinError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise NubbinError(
            f"The journal in {run} says what nubbin would not have written: {error!r}."
        ) from error


class RunReader:
    """A recorded run, for one reader; used by one thread at a time."""

    def __init__(self, run: Path):
        self._run = run
        self._rewind()
        self._pace: deque[tuple[float, int]] = deque(maxlen=_RATE_READS)
        self._news = 0.0, time.monotonic()  # the last sign of life, and when it was seen
        self._figures, self._figures_at = RunFigures(), -_FIGURES_PERIOD_S
        self._estimate: Estimate | None = None
        self._has_looked = False  # for an estimate

    def _rewind(self) -> None:
        self._steps = Steps()
        self._first: bytes | None = None  # the key of the original
        self._last: Accepted | None = None
        self._packed: deque[Accepted] = deque()
        self._before: Mapping[str, bytes] = {}
        self._best: Mapping[str, bytes] = {}

    def read(self) -> Snapshot:
        """Return the run as it is now; raises NubbinError if it cannot be read, or never began."""
        with as_written(self._run):
            return self._read()

    def _read(self) -> Snapshot:
        held = is_held(self._run)  # first: if the run ends meanwhile, its journal says so by then
        with reading.reading(self._run) as store:
            store.execute("BEGIN")  # so that all is of one instant
            facts, tally = reading.facts(store, self._run), tables.tally(store)
            if self._last and not tables.has(store, self._last):
                self._rewind()  # it was rolled back
            axis = TimeAxis(facts.sessions)
            for row in reading.accepted(store, self._run, self._last):
                self._steps.add(row, axis)
                self._packed.append(row)
                self._last = row
                self._first = self._first or row.key
            if self._last is None:
                raise NubbinError(
                    f"The run in {self._run} ended before it began: there is nothing of it."
                )
            if time.monotonic() - self._figures_at >= _FIGURES_PERIOD_S:
                self._figures, self._figures_at = run_figures(store), time.monotonic()
            self._unpack()
        self._look_for_estimate(facts)
        state = "running" if held else facts.ended or "died"
        seconds = max(tally.seconds if tally else 0.0, self._steps.all[-1].seconds)
        queries = tally.queries if tally else self._steps.all[-1].queries
        self._pace.append((seconds, queries))
        (since, before) = self._pace[0]
        return Snapshot(
            self._run,
            state,
            self._silence(tally),
            facts,
            Job.of(facts, {}).options["algorithm"],
            seconds,
            (queries - before) / (seconds - since) if seconds > since else 0.0,
            self._steps.all.copy(),
            self._before,
            self._best,
            len(self._packed),
            tally,
            self._figures,
            other_bugs_in(self._run),
            self._estimate if facts.is_undisturbed else None,
        )

    def _look_for_estimate(self, facts: RunFacts) -> None:
        """Look once: other runs are large, and end seldom."""
        if not self._has_looked and self._first is not None:
            self._has_looked = True
            self._estimate = estimate(self._run, facts, self._first)

    def _unpack(self) -> None:
        """Come nearer to the best."""
        until = time.monotonic() + _UNPACKING_S
        while self._packed and time.monotonic() < until:
            row = self._packed.popleft()
            self._before, self._best = self._best, reading.files_of(row, self._best)

    def _silence(self, tally: Tally | None) -> float:
        """Return for how long nothing has come; by our own clock, for machines' clocks differ."""
        if tally is not None and tally.at != self._news[0]:
            self._news = tally.at, time.monotonic()
        return time.monotonic() - self._news[1]
