"""Determine after how many queries and seconds of work each candidate was accepted."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from nubbin.journal.run_facts import Session
from nubbin.journal.schema import Accepted


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


class Clock:
    """Converts times into seconds of work, without the time between the sessions of a run."""

    def __init__(self, sessions: Iterable[Session]):
        parts = sorted((each.begun, each.seconds) for each in sessions)
        self._begun = [begun for begun, _ in parts]
        self._before = [seconds for _, seconds in parts]

    def seconds(self, at: float) -> float:
        """Return the seconds of work until a time since 1970; 0 before the first session."""
        part = bisect_right(self._begun, at) - 1
        return 0.0 if part < 0 else self._before[part] + at - self._begun[part]


class Steps:
    """The steps of a run. Their seconds and queries never decrease."""

    def __init__(self) -> None:
        self.all: list[Step] = []
        self._queries = 0  # of the row before
        self._earlier = 0  # queries, before the run started over

    def add(self, row: Accepted, clock: Clock) -> None:
        """Add a candidate. If its queries begin at 0 again, adds those before."""
        if row.queries < self._queries:
            self._earlier += self._queries
        self._queries = row.queries
        # The clock of the machine may have been set back.
        seconds = max(clock.seconds(row.at), self.all[-1].seconds if self.all else 0.0)
        queries = self._earlier + row.queries
        self.all.append(
            Step(row.number, row.key, row.at, seconds, queries, row.bytes, row.pass_name)
        )


def gains_of(steps: Sequence[Step]) -> Mapping[str, Sequence[int]]:
    """Return how many bytes each pass removed in each of its steps; negative if it added some."""
    gains = defaultdict[str, list[int]](list)
    for before, after in pairwise(steps):
        gains[after.pass_name].append(before.bytes - after.bytes)
    return gains
