"""Live progress in a terminal."""

from __future__ import annotations

import threading
from collections import deque
from typing import Self

from rich.console import Console
from rich.text import Text

from nubbin.oracles.waiting import join
from nubbin.reduction.events import Answered, Event
from nubbin.report.frame import frame
from nubbin.report.ledger import Ledger
from nubbin.report.lines import query_line
from nubbin.report.screen import Screen

_PERIOD = 1 / 8  # seconds between frames
_WINDOW = 40  # frames over which the query rate is measured: five seconds
_BACKLOG = 10_000  # lines of `verbose` kept between two frames


class Live:
    """A context manager and observer that shows the run on `name` while it goes on.

    A thread of its own paints at most eight frames a second from `ledger`, and none while
    nothing changes, so that an event costs next to nothing and time goes on during slow tests.
    With `verbose` every query also scrolls by as a line. On exit the frame is wiped.
    """

    def __init__(
        self, console: Console, ledger: Ledger, *, name: str, verbose: bool = False
    ) -> None:
        self._console = console
        self._ledger = ledger
        self._name = name
        self._verbose = verbose
        self._screen = Screen(console)
        self._braille = console.encoding.startswith("utf")
        self._above: deque[Text] = deque(maxlen=_BACKLOG)
        self._pace: deque[tuple[float, int]] = deque([(0.0, 0)], maxlen=_WINDOW)
        self._shown: object = None
        self._over = threading.Event()
        self._painter = threading.Thread(target=self._paint, name="nubbin-live", daemon=True)

    def __call__(self, event: Event) -> None:
        """Note a query for the next frame; everything else is read from the ledger."""
        if self._verbose and isinstance(event, Answered):
            self._above.append(query_line(event, self._ledger.queries))

    def __enter__(self) -> Self:
        self._painter.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        try:
            join(self._painter)
            self.tick()
        finally:  # an impatient second Ctrl-C must not cost the user the cursor
            self._screen.close()

    def tick(self) -> None:
        """Paint a frame if anything has changed since the last one."""
        ledger, (columns, rows) = self._ledger, self._console.size
        seconds, queries = ledger.seconds, ledger.queries
        self._pace.append((seconds, queries))
        shown = (int(seconds), queries, ledger.step, ledger.sizes, columns, rows)
        if shown == self._shown:
            return
        self._shown = shown
        since, before = self._pace[0]
        lines = frame(
            ledger,
            name=self._name,
            columns=columns,
            rows=rows,
            per_second=(queries - before) / max(seconds - since, _PERIOD),
            braille=self._braille,
        )
        self._screen.paint(lines, [self._above.popleft() for _ in range(len(self._above))])

    def _paint(self) -> None:
        while not self._over.wait(_PERIOD):
            self.tick()
