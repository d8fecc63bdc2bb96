"""Threads that do something at the same time, and one that does it alone."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Lets threads in together, or one alone when all others have left.

    Each that is in holds a lock of its own, which vanishes with it: no count can be wrong because
    an interrupt came between two lines.
    """

    def __init__(self) -> None:
        self._door = threading.Lock()  # closed by the thread that is alone, or waits to be
        self._inside = weakref.WeakSet[threading.Lock]()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Be in at the same time as others."""
        mine = threading.Lock()
        with mine:
            with self._door:
                self._inside.add(mine)
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be in while no other thread is."""
        with self._door:
            for each in list(self._inside):
                with each:
                    pass
            yield
