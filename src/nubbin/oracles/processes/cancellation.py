"""Stop a query that runs in another thread.

An executor makes a `CancelToken` current around a call. Code in that call that waits for a process
or a connection registers how to stop it. Neither needs to know the other.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

from nubbin_core.waiting import check_wanted

_current: ContextVar[CancelToken | None] = ContextVar("nubbin-cancellation", default=None)


class CancelToken:
    """A signal to stop, given once, by any thread.

    Callbacks run when the token is cancelled, or at once if they are registered after that.
    """

    def __init__(self) -> None:
        # Held while callbacks run, so that `on_cancel` can wait for them.
        self._lock = threading.RLock()
        self._callbacks: list[Callable[[], object]] = []
        self.cancelled = False  # whether the work under this token must stop
        self._is_calling = False

    def cancel(self) -> None:
        """Stop the work under this token; a second time does nothing."""
        with self._lock:
            self.cancelled = True
            if self._is_calling:
                return  # a callback cancels
            try:
                self._is_calling = True
                while self._callbacks:
                    self._callbacks[0]()
                    del self._callbacks[0]  # after the call, because an interrupt may come before
            finally:
                self._is_calling = False

    @contextmanager
    def as_current(self) -> Iterator[None]:
        """Make this the current token of the calling thread during the block."""
        token, before = _current.set(self), check_wanted.set(self._check)
        try:
            yield
        finally:
            _current.reset(token)
            check_wanted.reset(before)

    def _check(self) -> None:
        if self.cancelled:
            raise CancelledError

    @contextmanager
    def on_cancel(self, stop: Callable[[], object]) -> Iterator[None]:
        """Call `stop`, in the thread that cancels, if the token is cancelled during the block.

        If the token is already cancelled, `stop` is called at once. The end of the block waits for
        a running call of `stop`, and no call follows: the process or connection may then be closed,
        or used for something else. `stop` must be quick, and must neither raise nor wait for the
        thread in the block. It must accept that its work has just ended by itself, and a second
        call after an interrupt.
        """
        try:
            with self._lock:
                if self.cancelled:
                    stop()
                else:
                    self._callbacks.append(stop)
            yield
        finally:
            with self._lock:
                if stop in self._callbacks:
                    self._callbacks.remove(stop)

    @contextmanager
    def wake_descriptor(self) -> Iterator[int]:
        """Yield a file descriptor that becomes readable when the token is cancelled."""
        reader, writer = os.pipe()
        try:
            with self.on_cancel(partial(os.write, writer, b"!")):
                yield reader
        finally:
            os.close(reader)
            os.close(writer)


def current() -> CancelToken:
    """Return the token that the calling thread works under, or a new one if there is none."""
    return _current.get() or CancelToken()
