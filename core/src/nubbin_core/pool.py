"""A pool whose width may change; a subclass queues calls in threads or processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from nubbin_core.in_line import Call, InLine
from nubbin_core.waiting import until

P = ParamSpec("P")
T = TypeVar("T")


class Pool(InLine, Executor):
    """An executor that makes up to `width` calls at once.

    The width is `most`, which may be changed, or the number of `workers` if that is lower. While
    `alone` is set, it is one. With a width of one, `submit` makes the call itself and returns a
    finished future. That future stores an `Exception`; Ctrl-C passes through to the caller.
    """

    def __init__(self, most: float = 1, workers: Callable[[], float] = lambda: math.inf):
        self.most = most
        self.alone = False
        self._workers = workers

    @property
    def width(self) -> int:
        """How many calls are made at once at present."""
        return 1 if self.alone else int(min(self.most, self._workers()))

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Make the call if the width is one, else queue it."""
        call = partial(fn, *args, **kwargs)
        return self.queue(call) if self.width > 1 else Pool.queue(self, call)

    def wait(self, calls: Collection[Call[Any]]) -> None:
        """Return when at least one of these calls has ended; Ctrl-C interrupts the wait."""
        futures = cast("Collection[Future[Any]]", calls)
        if not any(future.done() for future in futures):
            until(lambda seconds: wait(futures, seconds, FIRST_COMPLETED).done)

    def queue(self, call: Callable[[], T]) -> Future[T]:
        """Make a call. A subclass makes it in a thread, and returns before it has ended."""
        future: Future[T] = Future()
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)
        return future


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
