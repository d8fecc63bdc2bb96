"""A recorded run as its journal has it, for everything that shows it or goes on with it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from nubbin.journal import reading, schema
from nubbin.journal.lock import is_held
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.schema import Accepted
from nubbin.journal.tally import Tally
from nubbin.runs.run_figures import RunFigures, run_figures
from nubbin.runs.steps import Clock, Step, Steps


class Ran(NamedTuple):
    """What the runs of the test on one candidate came to: `yes` of `runs` were interesting.

    `seconds` and `exit_code` are those of the last run.
    """

    verdict: str
    seconds: float
    exit_code: int | None
    timed_out: bool
    yes: int
    runs: int


class RecordedRun:
    """A recorded run, under way or ended; disturbs no process, and is used by one thread at a time.

    `facts` are of the run, `state` is `running`, `died` or why it ended. `tally` is None if it is
    damaged, or if the run ended before there was one. `best` are the files of the candidate number
    `unpacked`, by path, and `before` those of the one before it; none until `read_on` unpacks some.
    """

    facts: RunFacts
    state: str
    tally: Tally | None

    def __init__(self, folder: Path):
        self.folder = folder
        self._forget()

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the run in a folder; raises NubbinError if it cannot be read, or never began."""
        run = cls(folder)
        run.read_on()
        return run

    def _forget(self) -> None:
        self._steps = Steps()
        self._last: Accepted | None = None
        self.unpacked = 0
        self.before: Mapping[str, bytes] = {}
        self.best: Mapping[str, bytes] = {}

    def read_on(self, unpacking_s: float = 0.0) -> None:
        """Read what is new, or what is left if the run was rolled back; all is of one instant.

        Unpacks candidates for some seconds, because the best of a long run comes little by little.
        The first time linear in the steps, and then in the new ones. Raises NubbinError if the run
        cannot be read, or never began.
        """
        held = is_held(self.folder)  # first: if the run ends meanwhile, its journal says so by then
        with reading.reading(self.folder) as store:
            store.execute("BEGIN")
            self.facts = reading.facts(store, self.folder)
            self.tally = schema.tally(store)
            if self._last and not schema.has(store, self._last):
                self._forget()
            clock = Clock(self.facts.sessions)
            for row in reading.accepted(store, self.folder, self._last):
                self._steps.add(row, clock)
                self._last = row
            if self._last is None:
                raise schema.never_began(self.folder)
            self._unpack(store, unpacking_s)
        self.state = "running" if held else self.facts.ended or "died"

    def _unpack(self, store: sqlite3.Connection, seconds: float) -> None:
        """Come nearer to the best."""
        until = time.monotonic() + seconds
        if not seconds or self.unpacked == len(self.steps):
            return
        for row in schema.accepted(store, self.unpacked):
            self.before, self.best = self.best, reading.files_of(row, self.best)
            self.unpacked = row.number
            if time.monotonic() >= until:
                break

    @property
    def steps(self) -> Sequence[Step]:
        """The accepted candidates, the input first."""
        return self._steps.all

    @property
    def begun(self) -> float:
        """When it began, in seconds since 1970; a fork begins later than its first candidate."""
        return self.facts.sessions[0].begun if self.facts.sessions else self.steps[0].at

    @property
    def seconds(self) -> float:
        """The time that it was under way, in seconds, after the last step included."""
        return max(self.steps[-1].seconds, self.tally.seconds if self.tally else 0.0)

    @property
    def queries(self) -> int:
        """The queries so far, those after the last step included."""
        return max(self.steps[-1].queries, self.tally.queries if self.tally else 0)

    def ran(self) -> Mapping[bytes, Ran]:
        """Return what became of each candidate that was run, by its key, without damaged ones.

        Raises NubbinError if the journal cannot be read.
        """
        with reading.reading(self.folder) as store:
            return {key: Ran(*ran) for key, *ran in schema.verdicts(store)}

    def figures(self) -> RunFigures:
        """Return the runs of the test in figures; raises NubbinError as `ran`."""
        with reading.reading(self.folder) as store:
            return run_figures(store)
