"""After how much work was a candidate accepted? What lies between parts of a run is left out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from nubbin.journal.facts import Session
from nubbin.journal.tables import Accepted


@dataclass(frozen=True, slots=True)
class Step:
    """An accepted candidate, after some seconds and queries of work; `bytes` is its size."""

    seconds: float
    queries: int
    bytes: int
    pass_name: str


class TimeAxis:
    """The seconds of work of a run at any time; `sessions` are its parts, from its journal."""

    def __init__(self, sessions: Iterable[Session]):
        parts = sorted((each.begun, each.seconds) for each in sessions)
        self._begun = [begun for begun, _ in parts]
        self._before = [seconds for _, seconds in parts]

    def seconds(self, at: float) -> float:
        """Return the seconds of work at a time since 1970; 0 before the first part."""
        part = bisect_right(self._begun, at) - 1
        return 0.0 if part < 0 else self._before[part] + at - self._begun[part]


class Steps:
    """The steps of a run; their seconds and queries only grow."""

    def __init__(self) -> None:
        self.all: list[Step] = []
        self._queries = 0  # of the row before
        self._earlier = 0  # queries, before the run started over

    def add(self, row: Accepted, axis: TimeAxis) -> None:
        """Add a candidate; queries that begin at 0 again are counted on."""
        if row.queries < self._queries:
            self._earlier += self._queries
        self._queries = row.queries
        step = Step(axis.seconds(row.at), self._earlier + row.queries, row.bytes, row.pass_name)
        if self.all and step.seconds < self.all[-1].seconds:  # somebody has set the clock
            step = replace(step, seconds=self.all[-1].seconds)
        self.all.append(step)
