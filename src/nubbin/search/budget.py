"""What a reduction costs, and when it stops early: after queries, after some time, or at a size."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from nubbin.minimizers import Query
from nubbin.search.alarm import TimeIsOver, ended_when
from nubbin.search.verdict_cache import Answered, CachedVerdict, Count

T = TypeVar("T")


class BudgetSpent(Exception):
    """The budget is used up; `reason` names which: `max-queries`, `max-time`, `target-size`."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Budget:
    """At most `max_queries` queries and `max_time` seconds; None: no limit.

    Stops once the result has at most `target_size` bytes.

    Speculation that no minimizer needed is not a query, so that a budget of queries cuts a
    reduction at the same place whatever the number of workers. Time counts from when the budget is
    made. `so_far` counts all queries, `by_kind` those of each kind: nobody else counts them.
    """

    max_queries: int | None = None
    max_time: float | None = None
    target_size: int | None = None
    so_far: Count = field(default_factory=Count)
    by_kind: dict[str, Count] = field(default_factory=dict)
    #: What is done in it is not ended by the time, but done to its end. Reentrant.
    shield: AbstractContextManager[object] = field(default_factory=threading.RLock)
    _started: float = field(default_factory=time.monotonic)

    @property
    def queries(self) -> int:
        """The number of queries so far."""
        return self.so_far.asked

    def count(self, query: Query, answer: CachedVerdict) -> Answered:
        """Count a query."""
        self.so_far = self.so_far.plus(answer.verdict)
        self.by_kind[query.kind] = self.by_kind.get(query.kind, Count()).plus(answer.verdict)
        return Answered(query.kind, len(query.kept), answer.verdict, answer.seconds, self.so_far)

    def check(self) -> None:
        """Raise BudgetSpent when there is nothing left for another query."""
        if self.max_queries is not None and self.queries >= self.max_queries:
            raise BudgetSpent("max-queries")
        if self.is_over:
            raise BudgetSpent("max-time")

    def limited(self, work: Callable[[], T]) -> T:
        """Call `work`; raise BudgetSpent as soon as the time is over, wherever it is by then."""
        with suppress(TimeIsOver):
            return ended_when(lambda: self.is_over, work, self.shield)
        # Not in a handler: what was handled at that instant is not a cause of this.
        raise BudgetSpent("max-time")

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.max_time is not None and self.seconds >= self.max_time

    @property
    def seconds(self) -> float:
        """Seconds since the budget was made."""
        return time.monotonic() - self._started

    def extend(self, seconds: float) -> None:
        """Leave out some seconds that passed: they do not count."""
        self._started += seconds

    def check_size(self, size: int) -> None:
        """Raise BudgetSpent when N bytes are few enough."""
        if self.target_size is not None and size <= self.target_size:
            raise BudgetSpent("target-size")
