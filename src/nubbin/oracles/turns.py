"""Let threads work at the same time, or one of them alone."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Lets threads in together, or one alone when all others have left.

    Each thread holds a lock of its own, which vanishes with it. A count could become wrong if an
    interrupt came between two lines.
    """

    def __init__(self) -> None:
        self._door = threading.Lock()  # held by the thread that is alone, or waits to be
        self._inside = weakref.WeakSet[threading.Lock]()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Enter together with other threads, and leave at the end of the block."""
        mine = threading.Lock()
        with mine:
            with self._door:
                self._inside.add(mine)
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Enter when all other threads have left, and leave at the end of the block."""
        with self._door:
            for each in list(self._inside):
                with each:
                    pass
            yield
