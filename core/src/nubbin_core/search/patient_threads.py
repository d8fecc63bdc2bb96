"""The threads in which `nubbin.minimize` calls the predicate."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from nubbin_core.pool import Pool

T = TypeVar("T")


class PatientThreads(Pool):
    """Threads that complete each call that has begun."""

    def __init__(self, jobs: int):
        super().__init__(jobs)
        self._threads = ThreadPoolExecutor(jobs)

    def queue(self, call: Callable[[], T]) -> Future[T]:
        """Have a thread make a call."""
        return self._threads.submit(call)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more calls, and complete those that have begun."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
