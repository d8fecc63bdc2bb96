"""Determine after how many queries and seconds of work each candidate was accepted."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
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
