"""Waiting in such a way that Ctrl-C is handled."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_PERIOD_S = 0.2  # of a wait in which no signal is handled


def until(wait: Callable[[float], T], seconds: float | None = None) -> T:
    """Wait until `wait` returns something true, for at most `seconds` (None: no limit).

    `wait` takes a number of seconds, waits for at most that long, and returns something false if
    that was not enough. Returns what `wait` returned last.

    Python runs the handler of a signal in the main thread, between two instructions. A signal that
    arrives just before a wait begins, or in another thread, does not end that wait. So a long wait
    of the main thread must be made of short ones. The last one takes no time, but is needed: Ctrl-Z
    may have stopped us until after the limit, but not what we wait for.
    """
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        found = wait(max(0.0, min(_PERIOD_S, left)))
        if found or left <= 0:
            return found


def join(thread: threading.Thread) -> None:
    """Wait until a thread has ended."""

    def ended(seconds: float) -> bool:
        thread.join(seconds)
        return not thread.is_alive()

    until(ended)
