"""Stopping a query that runs in another thread.

An executor opens a `CancelToken` around a call; whatever in that call can be stopped from outside
(a process, a connection) registers how. Neither needs to know the other.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_current: ContextVar[CancelToken | None] = ContextVar("nubbin-cancellation", default=None)


class CancelToken:
    """Thrown once, by any thread; what is registered with it is then called, also later on."""

    def __init__(self) -> None:
        self._lock = (
            threading.RLock()
        )  # held while callbacks are called, so that `on_cancel` can wait
        self._callbacks: list[Callable[[], None]] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the work under this switch is to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop the work under this switch; a second time does nothing."""
        with self._lock:
            self._cancelled = True
            while self._callbacks:
                self._callbacks.pop(0)()

    @contextmanager
    def open(self) -> Iterator[None]:
        """Make this the switch of all that the calling thread does in the block."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    @contextmanager
    def on_cancel(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop`, from the thread that throws, if the switch is thrown in the block.

        A switch thrown before calls it at once. After the block `stop` is not called, and no call
        of it is under way: the block ends when that has returned. So what is stopped may be used
        for something else, or closed, after the block. `stop` must be quick, must not raise or
        wait for the thread that is in the block, and must bear being called when its work has just
        ended by itself.
        """
        with self._lock:
            if self._cancelled:
                stop()
            else:
                self._callbacks.append(stop)
        try:
            yield
        finally:
            with self._lock:
                if stop in self._callbacks:
                    self._callbacks.remove(stop)

    @contextmanager
    def readable(self) -> Iterator[int]:
        """Yield a file descriptor that can be read as soon as the switch is thrown."""
        reader, writer = os.pipe()

        def wake() -> None:
            os.write(writer, b"!")

        try:
            with self.on_cancel(wake):
                yield reader
        finally:
            os.close(reader)
            os.close(writer)


def current() -> CancelToken:
    """Return the switch that the calling thread works under; a fresh one where there is none."""
    return _current.get() or CancelToken()
