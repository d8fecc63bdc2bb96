"""Limits of queries, time and size: when a reduction stops early."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from nubbin_core.minimizers import Query
from nubbin_core.search.problem import Answered, CachedVerdict, Count

T = TypeVar("T")

#: The time that is kept to run the test on the result at the end: that of this number of runs, but
#: no more than this share of all.
_KEPT_RUNS = 5
_MAX_KEPT_SHARE = 0.1


class BudgetSpent(Exception):
    """The budget is used up; `reason` names which: `max-queries`, `max-time`, `target-size`."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class Budget:
    """At most `max_queries` queries and `max_time` seconds; None: no limit.

    Stops once the result has at most `target_size` bytes. Queries end a little before the time
    does: the rest is kept to run the test on the result, a tenth at most.

    Speculation that no minimizer needed is not a query, so that a budget of queries cuts a
    reduction at the same place whatever the number of workers. Time counts from when the budget is
    made. `so_far` counts all queries, `by_kind` those of each kind: these are the only counters.
    """

    def __init__(
        self,
        max_queries: int | None = None,
        max_time: float | None = None,
        target_size: int | None = None,
    ):
        self.max_queries, self.max_time, self.target_size = max_queries, max_time, target_size
        self.so_far = Count()
        self.by_kind: dict[str, Count] = {}
        #: Work that holds it may run up to a second past the limit.
        self.shield = threading.RLock()
        self._started = time.monotonic()
        self._kept_s = 0.0

    @property
    def queries(self) -> int:
        """The number of queries so far."""
        return self.so_far.asked

    def count(self, query: Query, answer: CachedVerdict) -> Answered:
        """Count a query."""
        if answer.interesting or not self.so_far.succeeded:
            self._kept_s = _KEPT_RUNS * answer.seconds
        self.so_far = self.so_far.plus(answer.verdict)
        self.by_kind[query.kind] = self.by_kind.get(query.kind, Count()).plus(answer.verdict)
        return Answered(query.kind, len(query.kept), answer.verdict, answer.seconds, self.so_far)

    def check(self) -> None:
        """Raise BudgetSpent when there is nothing left for another query."""
        if self.max_queries is not None and self.queries >= self.max_queries:
            raise BudgetSpent("max-queries")
        if self.is_over_for_queries:
            raise BudgetSpent("max-time")

    def limited(self, work: Callable[[], T], *, last: bool = False) -> T:
        """Call `work`; raise BudgetSpent as soon as the time is over, wherever it is by then.

        With `last`, `work` may also use the time that queries leave for the end.
        """
        with suppress(TimeIsOver):
            if not (last and self.is_over()):
                return ended_when(
                    lambda: self.is_over() if last else self.is_over_for_queries, work, self.shield
                )
        # Not in a handler: what was handled at that instant is not a cause of this.
        raise BudgetSpent("max-time")

    def last(self, work: Callable[[], T]) -> T | None:
        """Return what `work` does, which comes last; None if the time is over before it ends."""
        with suppress(BudgetSpent):
            return self.limited(work, last=True)
        return None

    @property
    def is_over_for_queries(self) -> bool:
        """Whether the time for queries is over."""
        return self.is_over(self._kept_s)

    def is_over(self, kept_s: float = 0.0) -> bool:
        """Tell whether the time is over, but for some seconds that are kept if they are few."""
        if self.max_time is None:
            return False
        return self.seconds >= self.max_time - min(kept_s, _MAX_KEPT_SHARE * self.max_time)

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


_PERIOD_S = 0.1  # between two looks at the clock
#: Shielded work may run this much longer; writing a large result may take more.
_MAX_SHIELDED_S = 1.0


class TimeIsOver(KeyboardInterrupt):
    """Raised between any two instructions, like KeyboardInterrupt by Ctrl-C."""


def ended_when(is_over: Callable[[], bool], work: Callable[[], T], shield: threading.RLock) -> T:
    """Return what `work` returns; raise TimeIsOver in it once, soon after `is_over` is true.

    If the calling thread holds `shield` at that time, TimeIsOver is delayed by up to a second.

    A second thread watches the clock. A signal would not do: signals belong to the calling
    program, and only its main thread handles them. A call of C, and a wait outside
    `nubbin_core.waiting`, must return before TimeIsOver is raised. Python drops the error if it is
    raised in code that the garbage collector calls; then the budget rejects the next query.
    """
    thread = threading.get_ident()
    armed, done, deciding = {thread}, threading.Event(), threading.Lock()

    def watch() -> None:
        while armed and not is_over():
            done.wait(_PERIOD_S)
        if not armed:
            return
        has_ended = shield.acquire(timeout=_MAX_SHIELDED_S)
        with deciding:
            if armed:
                _raise_in(thread)
        if has_ended:
            shield.release()

    threading.Thread(target=watch, name="nubbin-time", daemon=True).start()
    try:
        return work()
    finally:
        armed.clear()  # a call of C: no error can arrive before it returns
        with deciding:
            pass  # the watching thread has raised its error, or never will
        done.set()  # a call of Python, where that error arrives; Python 3.11 cannot withdraw it


def _raise_in(thread: int) -> None:
    with suppress(ImportError):  # without ctypes, the budget rejects the next query instead
        import ctypes  # noqa: PLC0415 - only here

        error = ctypes.py_object(TimeIsOver)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
