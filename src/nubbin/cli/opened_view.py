"""The full-screen view, opened by the reduction that it shows."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Self

from nubbin.reduction.events import Event, Started
from nubbin.waiting import join


class OpenedView:
    """Opens the view of a run as soon as it has begun, in a process of its own: an observer.

    Whatever else has the terminal is `lent` meanwhile. A context manager: at the end it waits until
    somebody leaves the view, unless the block raises.
    """

    def __init__(self, lent: Callable[[], AbstractContextManager[None]]):
        self._lent = lent
        self._view: subprocess.Popen[bytes] | None = None
        self._waiter = threading.Thread(target=self._wait, name="nubbin-view", daemon=True)

    def __enter__(self) -> Self:
        return self

    def __call__(self, event: Event) -> None:
        """Open the view when the run begins."""
        if isinstance(event, Started) and event.run is not None:
            line = [sys.executable, "-P", "-m", "nubbin", "watch", str(event.run.absolute())]
            self._view = subprocess.Popen(line)
            self._waiter.start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._view is None:
            return
        try:
            if kind is None:
                join(self._waiter)
        finally:
            self._view.terminate()
            join(self._waiter)

    def _wait(self) -> None:
        assert self._view is not None
        with self._lent():
            self._view.wait()
