"""Waiting so that Ctrl-C is heard."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Seconds that a wait lasts before the program takes a step again.
_PERIOD_S = 0.2


def until(wait: Callable[[float], T], seconds: float | None = None) -> T:
    """Wait until something is true, for at most `seconds` (None: no limit); return it.

    `wait` waits for at most as many seconds as it is told, and returns what is true, or what is
    false when its time is over. What it returned last is returned.

    Python runs the handler of a signal in the main thread, between two steps of the program. A
    signal that arrives just before a wait begins, or in another thread, does not end that wait.
    So no wait of the main thread may last long, and one without an end is made of short ones. The
    last one lasts no time: Ctrl-Z may have stopped us past the limit, but not what we wait for.
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
