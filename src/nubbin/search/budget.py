"""When to stop early: a number of queries, a span of time, a size that is small enough."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


class BudgetSpent(Exception):
    """The budget is used up; `reason` names which: `max-queries`, `max-time`, `target-size`."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Budget:
    """At most `max_queries` answers and `max_time` seconds; None is no limit.

    With `target_size`, no more than it takes to come down to so many bytes.

    Only answers that a minimizer needed count as queries, not speculation, so that a budget
    of queries cuts a run at the same place whatever the number of workers.
    """

    max_queries: int | None = None
    max_time: float | None = None
    target_size: int | None = None
    spent: int = 0
    _started: float = field(default_factory=time.monotonic)

    def check(self) -> None:
        """Raise BudgetSpent when there is nothing left for another query."""
        if self.max_queries is not None and self.spent >= self.max_queries:
            raise BudgetSpent("max-queries")
        if self.max_time is not None and time.monotonic() - self._started >= self.max_time:
            raise BudgetSpent("max-time")

    def check_size(self, size: int) -> None:
        """Raise BudgetSpent when so many bytes are few enough."""
        if self.target_size is not None and size <= self.target_size:
            raise BudgetSpent("target-size")
