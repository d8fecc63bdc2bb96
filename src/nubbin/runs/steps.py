"""After how much work was a candidate accepted? The one clock of all that shows a recorded run."""

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
    """An accepted candidate, after some seconds and queries of work; the first is the input.

    `number` is that of `nubbin log`, `key` that of the document, `bytes` its size, and `at` the
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
    """The seconds of work of a run at any time: what lies between its sessions is left out."""

    def __init__(self, sessions: Iterable[Session]):
        parts = sorted((each.begun, each.seconds) for each in sessions)
        self._begun = [begun for begun, _ in parts]
        self._before = [seconds for _, seconds in parts]

    def seconds(self, at: float) -> float:
        """Return the seconds of work at a time since 1970; 0 before the first session."""
        part = bisect_right(self._begun, at) - 1
        return 0.0 if part < 0 else self._before[part] + at - self._begun[part]


class Steps:
    """The steps of a run; their seconds and queries only grow."""

    def __init__(self) -> None:
        self.all: list[Step] = []
        self._queries = 0  # of the row before
        self._earlier = 0  # queries, before the run started over

    def add(self, row: Accepted, clock: Clock) -> None:
        """Add a candidate; queries that begin at 0 again are counted on."""
        if row.queries < self._queries:
            self._earlier += self._queries
        self._queries = row.queries
        # The machine's clock may have been set meanwhile.
        seconds = max(clock.seconds(row.at), self.all[-1].seconds if self.all else 0.0)
        queries = self._earlier + row.queries
        self.all.append(
            Step(row.number, row.key, row.at, seconds, queries, row.bytes, row.pass_name)
        )


def gains_of(steps: Sequence[Step]) -> Mapping[str, Sequence[int]]:
    """Return how many bytes each pass took away in each of its steps; below 0 if it added some."""
    gains = defaultdict[str, list[int]](list)
    for before, after in pairwise(steps):
        gains[after.pass_name].append(before.bytes - after.bytes)
    return gains
