"""Show live progress in a terminal."""

from __future__ import annotations

import io
import os
import sys
import threading
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from typing import Self

from rich.console import Console, Group

from nubbin.report.frame import frame
from nubbin.report.progress import Progress
from nubbin.text.figures import visible
from nubbin_core.waiting import join

_PERIOD_S = 1 / 8  # between frames
_MAX_BEST_BYTES = 1 << 14  # that are read of the best candidate for a frame
_RATE_FRAMES = 40  # over which the query rate is measured: five seconds


class Live:
    """A context manager that shows the reduction of `name` while it runs.

    A thread paints frames from `progress`, so that the clock ticks during slow tests: at most eight
    per second, and none if nothing has changed. It paints on the alternate screen. So no line
    remains when the window is resized, and at the end the terminal shows its former contents. Text
    that is written to standard error in the block is printed at its end. If a frame cannot be
    painted, the display ends and the reduction continues.
    """

    def __init__(self, console: Console, progress: Progress, *, name: str) -> None:
        self._console = console
        self._progress = progress
        self._name = name
        self._braille = console.encoding.startswith("utf")
        self._pace: deque[tuple[float, int]] = deque([(0.0, 0)], maxlen=_RATE_FRAMES)
        self._shown: object = None
        self._is_lent = False
        self._lock = threading.RLock()  # reentrant: a signal handler may interrupt a frame
        self._over = threading.Event()
        self._painter = threading.Thread(target=self._paint, name="nubbin-live", daemon=True)
        self._meanwhile = redirect_stderr(io.StringIO())

    def __enter__(self) -> Self:
        self._said = self._meanwhile.__enter__()
        self._painter.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        try:
            join(self._painter)
        finally:  # also after a second Ctrl-C, to show the cursor again
            self._hide()
            self._meanwhile.__exit__(None, None, None)
            sys.stderr.write(self._said.getvalue())

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Hide the display in the block; may be called by a signal handler."""
        with self._lock:
            self._hide()
            yield

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let another program use the terminal in the block; called by one thread."""
        with self.hidden():
            self._is_lent = True
        try:
            yield
        finally:
            self._is_lent = False

    def tick(self) -> None:
        """Paint a frame if anything has changed since the last one."""
        progress, (columns, rows) = self._progress, self._console.size
        seconds, queries = progress.seconds, progress.queries
        self._pace.append((seconds, queries))
        shown = (
            int(seconds),
            queries,
            progress.checking,
            progress.list,
            progress.sizes,
            progress.is_paused,
            progress.is_interrupted,
            columns,
            rows,
        )
        if shown == self._shown or self._is_lent or not self._in_foreground():
            return
        self._shown = shown
        since, before = self._pace[0]
        lines = frame(
            progress,
            name=self._name,
            columns=columns,
            rows=rows,
            per_second=(queries - before) / max(seconds - since, _PERIOD_S),
            braille=self._braille,
            best=_first_lines(progress, rows),
        )
        if not self._console.is_alt_screen:
            self._console.set_alt_screen()
            self._console.show_cursor(False)
        options = self._console.options.update(width=columns, height=rows, no_wrap=True)
        self._console.update_screen(Group(*lines[:rows]), options=options)

    def _hide(self) -> None:
        if self._console.is_alt_screen:
            self._console.clear()  # tmux keeps the old frame after a resize
            self._console.show_cursor()
            self._console.set_alt_screen(False)
            self._shown = None

    def _in_foreground(self) -> bool:
        """Tell whether nubbin may write to the terminal: not after Ctrl-Z and `bg`."""
        try:
            return os.tcgetpgrp(self._console.file.fileno()) == os.getpgrp()
        except OSError:  # this process has no controlling terminal
            return True

    def _paint(self) -> None:
        with suppress(Exception):
            while not self._over.wait(_PERIOD_S):
                with self._lock:
                    self.tick()
        with self.hidden():
            pass


def _first_lines(progress: Progress, rows: int) -> list[str]:
    if progress.started is None or not progress.started.output.is_file():
        return []
    with suppress(OSError, UnicodeDecodeError), progress.started.output.open("rb") as file:
        # A character may be cut at the end.
        text = getincrementaldecoder("utf-8")().decode(file.read(_MAX_BEST_BYTES))
        lines = visible(text).expandtabs().splitlines()
        return [line for line in lines if line.strip()][:rows]
    return []
