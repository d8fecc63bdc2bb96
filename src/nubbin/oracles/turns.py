"""Threads that do something at the same time, and one that does it alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Lets threads in together, or one alone when all others have left."""

    def __init__(self) -> None:
        self._door = threading.Lock()  # closed by the thread that is alone, or waits to be
        self._left = threading.Condition()
        self._inside = 0

    @contextmanager
    def together(self) -> Iterator[None]:
        """Be in at the same time as others."""
        with self._door, self._left:
            self._inside += 1
        try:
            yield
        finally:
            with self._left:
                self._inside -= 1
                self._left.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be in while no other thread is."""
        with self._door:
            with self._left:
                self._left.wait_for(lambda: not self._inside)
            yield
