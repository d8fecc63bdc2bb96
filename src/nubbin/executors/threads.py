"""Run calls in threads, and stop them while they run."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from nubbin.oracles.processes.cancellation import CancelToken
from nubbin.oracles.processes.process import not_in_forks
from nubbin_core.pool import Pool
from nubbin_core.waiting import join, until

T = TypeVar("T")


class Task(Future[T], Generic[T]):
    """A call and its future, which can be cancelled until the call has ended.

    For its base class it stays pending while it runs, because a running future cannot be cancelled.
    `cancel` takes effect at once for the thread that waits for the result. It cancels the token of
    the call, and `concurrent.futures.wait` returns when the call has ended.
    """

    def __init__(self, call: Callable[[], T]):
        super().__init__()
        self._call: Callable[[], T] | None = call
        self._token = CancelToken()

    def cancel(self) -> bool:
        """Cancel the call, whether it runs or not; False if it is already done."""
        cancelled = super().cancel()
        if cancelled:
            self._token.cancel()
        return cancelled

    def result(self, timeout: float | None = None) -> T:
        """Return the result of the call, or raise its error; see `Future.result`."""
        until(self._wait, timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Return the error of the call; see `Future.exception`."""
        until(self._wait, timeout)
        return super().exception(0)

    def run(self) -> None:
        """Make the call unless it is cancelled. Called once; raises nothing."""
        call, self._call = self._call, None
        assert call is not None, "a task runs once"
        # If it is cancelled meanwhile, its outcome is not needed.
        with suppress(InvalidStateError):
            if not self.cancelled():
                try:
                    with self._token.as_current():
                        result = call()
                except BaseException as error:
                    self.set_exception(error)
                else:
                    self.set_result(result)
        if self.cancelled():
            self.set_running_or_notify_cancel()

    def _wait(self, seconds: float) -> bool:
        with suppress(TimeoutError, CancelledError):
            super().exception(seconds)
        return self.done()


class Threads(Pool):
    """A pool of threads, in which a cancelled call is stopped.

    A call must register how to stop it, as `LocalOracle` does
    (`nubbin.oracles.processes.cancellation`). Otherwise it continues when it is cancelled, and only
    its result is dropped.

    A context manager: at the end of the block, all queued and running calls are cancelled. The same
    happens at the exit of the interpreter.
    """

    def __init__(self, most: float, *workers: Callable[[], float]):
        super().__init__(most, *workers)
        self._lock = threading.Lock()
        self._queue: SimpleQueue[Task[Any] | None] = SimpleQueue()
        self._unfinished: set[Task[Any]] = set()
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._at_exit = not_in_forks(partial(self.shutdown, wait=False))
        atexit.register(self._at_exit)

    def queue(self, call: Callable[[], T]) -> Future[T]:
        """Let a thread make a call when one of `width` is idle; RuntimeError after `shutdown`."""
        task = Task(call)
        with self._lock:
            if self._closed:
                raise RuntimeError("the pool has been shut down")
            self._unfinished.add(task)
            if len(self._threads) < min(len(self._unfinished), self.width):
                name = f"nubbin-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._threads[-1].start()
            self._queue.put(task)
        return task

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Accept no more calls; with `cancel_futures`, cancel all, even those that run."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for _ in self._threads:
                    self._queue.put(None)
            unfinished = list(self._unfinished) if cancel_futures else []
        for task in unfinished:
            task.cancel()
        if wait:
            for thread in self._threads:
                join(thread)
            atexit.unregister(self._at_exit)

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            task.run()
            with self._lock:
                self._unfinished.discard(task)
