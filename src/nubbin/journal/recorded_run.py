"""Read recorded runs: the facts, the steps and the end of one, and the runs of a folder."""

from __future__ import annotations

import sqlite3
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, Self

from nubbin.journal import reading, schema
from nubbin.journal.reading import DamagedJournal
from nubbin.journal.run_facts import RunFacts, Session, Tally
from nubbin.journal.run_folders import folders_in, is_held
from nubbin.journal.schema import MAX_TIME_S, Accepted, Ran
from nubbin.text.figures import printable
from nubbin_core.errors import NubbinError

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """What the reason for an end means, or that a run has no end yet.

    `is_done`: there is nothing more to do. `is_enough`: the user has what was asked for.
    `is_limited`: a longer run may remove more. `is_broken_off`: the test does not run on the result
    again. `is_hurried`: the run ends without copying the result to its folder. `can_continue`:
    `nubbin resume` accepts the run.
    """

    words: str
    is_known: bool = True
    is_under_way: bool = False
    is_done: bool = False
    is_enough: bool = False
    is_limited: bool = False
    is_broken_off: bool = False
    is_hurried: bool = False
    can_continue: bool = True


#: The end of each reason that `BudgetSpent`, `ReductionEnd` or a journal can have, and of each
#: other state of a recorded run.
ENDS: Final = {
    "running": RunEnd(words="under way", is_under_way=True, can_continue=False),
    "died": RunEnd(words="killed"),
    "fixpoint": RunEnd(words="done", is_done=True, is_enough=True, can_continue=False),
    "max-queries": RunEnd(words="stopped by --max-queries", is_limited=True),
    "max-time": RunEnd(words="stopped by --max-time", is_limited=True, is_hurried=True),
    "target-size": RunEnd(words="stopped by --target-size", is_limited=True, is_enough=True),
    "stopped": RunEnd(words="stopped by a command", is_limited=True),
    "interrupted": RunEnd(words="interrupted", is_broken_off=True, is_hurried=True),
    "target-changed": RunEnd(words="stopped because another process wrote to the result"),
    "workers-lost": RunEnd(words="broken off because the workers were lost", is_broken_off=True),
    "damaged": RunEnd(words="damaged"),
    "other-version": RunEnd(words="of another version of nubbin", can_continue=False),
}


def end_of(state: str) -> RunEnd:
    """Return the end of a run with this reason, or in this state; "" is no end."""
    return ENDS.get(state) or RunEnd(words=printable(state), is_known=False)


@dataclass(frozen=True, slots=True)
class Step:
    """A candidate, accepted after so many seconds and queries; the first is the input.

    `nubbin log` shows `number`. `key` is the key of the document, `bytes` its size, and `at` the
    time in seconds since 1970.
    """

    number: int
    key: bytes
    at: float
    seconds: float
    queries: int
    bytes: int
    pass_name: str


def seconds_at(sessions: Sequence[Session], at: float) -> float:
    """Return the seconds of work until a time since 1970, without those between sorted sessions."""
    number = bisect_right(sessions, at, key=lambda each: each.begun) - 1
    return 0.0 if number < 0 else sessions[number].seconds + at - sessions[number].begun


def step_of(row: Accepted, last: Accepted | None, before: Step | None, seconds: float) -> Step:
    """Return the step of a row that follows the row `last`, with the step `before`.

    Seconds and queries never decrease, although the clock of the machine may have been set back. If
    the reduction started over, the queries of `row` begin at 0 again.
    """
    queries = row.queries
    if last is not None and before is not None:
        seconds = max(seconds, before.seconds)
        queries += before.queries - (last.queries if queries >= last.queries else 0)
    return Step(row.number, row.key, row.at, seconds, queries, row.bytes, row.pass_name)


def gains_of(steps: Sequence[Step]) -> Mapping[str, Sequence[int]]:
    """Return how many bytes each pass removed in each of its steps; negative if it added some."""
    gains = defaultdict[str, list[int]](list)
    for before, after in pairwise(steps):
        gains[after.pass_name].append(before.bytes - after.bytes)
    return gains


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
    found = filter(None, map(listed_run, folders_in(folder)))
    return sorted(found, key=lambda run: run.begun)


def listed_run(folder: Path) -> ListedRun | None:
    """Return the run in a folder; None if there is none, or if it never began."""
    try:
        run = RecordedRun.open(folder)
    except DamagedJournal:
        return _unread(folder, "damaged")
    except schema.OtherVersion:
        return _unread(folder, "other-version")
    except NubbinError:
        return None
    before, after = run.steps[0].bytes, run.steps[-1].bytes
    return ListedRun(folder, run.state, before, after, run.queries, run.begun)


def _unread(folder: Path, state: str) -> ListedRun:
    return ListedRun(folder, state, 0, 0, 0, (folder / schema.FILE).lstat().st_mtime)
