"""Read a recorded run from its journal."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nubbin.journal import reading, schema
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.run_folders import is_held
from nubbin.journal.schema import MAX_TIME_S, Accepted, Ran
from nubbin.journal.tally import Tally
from nubbin.runs.steps import Step, seconds_at, step_of

#: Makes a number that can be shown of any value in a damaged row.
_SECONDS = "min(CAST(seconds AS REAL), ?)"
_MAX_RUNS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class RunFigures:
    """How often the test was run, and on how many candidates; times are in seconds.

    Includes speculative runs, which no query needed.
    """

    runs: int = 0
    candidates: int = 0
    timed_out: int = 0
    unresolved: int = 0
    median: float = 0.0
    longest: float = 0.0


class RecordedRun:
    """A recorded run, under way or ended; disturbs no process. Used by one thread at a time.

    `state` is `running`, `died` or the reason for the end. `steps` are the accepted candidates, the
    input first. `tally` is None if it is damaged, or if the run ended before it wrote one. `best`
    has the files of candidate number `unpacked` by their paths, and `before` those of the candidate
    before; both are empty until `read_on` unpacks one.
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
        self.steps: list[Step] = []
        self._last: Accepted | None = None
        self.unpacked = 0
        self.before: Mapping[str, bytes] = {}
        self.best: Mapping[str, bytes] = {}

    def read_on(self, unpacking_s: float = 0.0) -> None:
        """Read the new steps, or all steps if the run was rolled back, as of one instant.

        Unpacks candidates for at most `unpacking_s` seconds, so that several calls are needed for a
        long run. Takes time linear in the new steps. Raises NubbinError if the run cannot be read,
        or never began.
        """
        held = is_held(self.folder)  # first: a run that ends after this has recorded its end
        with reading.reading(self.folder) as store:
            store.execute("BEGIN")
            self.facts = reading.facts(store, self.folder)
            self.tally = reading.tally(store)
            if self._last and not schema.has(store, self._last):
                self._forget()
            sessions = sorted(self.facts.sessions, key=lambda each: each.begun)
            for row in reading.accepted_candidates(store, self.folder, self._last):
                seconds = seconds_at(sessions, row.at)
                before = self.steps[-1] if self.steps else None
                self.steps.append(step_of(row, self._last, before, seconds))
                self._last = row
            if self._last is None:
                raise schema.never_began(self.folder)
            self._unpack(store, unpacking_s)
        self.state = "running" if held else self.facts.ended or "died"

    def _unpack(self, store: sqlite3.Connection, seconds: float) -> None:
        until = time.monotonic() + seconds
        if not seconds or self.unpacked == len(self.steps):
            return
        for row in schema.accepted_rows(store, self.unpacked):
            self.before, self.best = self.best, reading.files_of(row, self.best)
            self.unpacked = row.number
            if time.monotonic() >= until:
                break

    @property
    def begun(self) -> float:
        """When the run began, in seconds since 1970; a fork begins after its first candidate."""
        return self.facts.sessions[0].begun if self.facts.sessions else self.steps[0].at

    @property
    def seconds(self) -> float:
        """How long the run was under way in seconds, including the time after the last step."""
        return max(self.steps[-1].seconds, self.tally.seconds if self.tally else 0.0)

    @property
    def queries(self) -> int:
        """The queries so far, including those after the last step."""
        return max(self.steps[-1].queries, self.tally.queries if self.tally else 0)

    def ran(self) -> Mapping[bytes, Ran]:
        """Return how each candidate ran, by its key, without damaged rows; raises NubbinError."""
        with reading.reading(self.folder) as store:
            return schema.verdicts(store)

    def figures(self) -> RunFigures:
        """Return figures without checking seals: 0.1 s for 100,000 candidates; raises as `ran`."""
        with reading.reading(self.folder) as store:
            row = store.execute(
                "SELECT total(min(CAST(runs AS INTEGER), ?)), count(seal), total(timed_out <> 0), "
                f"total(verdict = 'unresolved'), max({_SECONDS}) FROM verdicts",
                (_MAX_RUNS, MAX_TIME_S),
            ).fetchone()
            runs, candidates, timed_out, unresolved = map(int, row[:4])
            middle = store.execute(
                f"SELECT {_SECONDS} AS s FROM verdicts ORDER BY s LIMIT 1 OFFSET ?",
                (MAX_TIME_S, candidates // 2),
            ).fetchone()
        median = (middle[0] if middle else 0.0) or 0.0
        return RunFigures(runs, candidates, timed_out, unresolved, median, row[4] or 0.0)
