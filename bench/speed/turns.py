"""Calls that take turns, so that other work on the machine meets all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

Call = Callable[[], object]


def seconds(call: Call) -> float:
    """Return the wall time of a call."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def in_turns(calls: Sequence[Call], rounds: int) -> list[list[float]]:
    """Return the seconds of each call in each round; which comes first, alternates."""
    times: list[list[float]] = [[] for _ in calls]
    for number in range(rounds):
        turns = [*zip(calls, times, strict=True)]
        for call, into in turns[:: -1 if number % 2 else 1]:
            into.append(seconds(call))
    return times
