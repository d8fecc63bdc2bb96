"""Show live progress in a terminal: a thread paints frames, which fit any width."""

from __future__ import annotations

import io
import os
import sys
import threading
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from typing import Self

from rich.console import Console, Group
from rich.text import Text

from nubbin.documents.document import Sizes
from nubbin.report.lines import checking_line, lines_known
from nubbin.report.progress import Progress
from nubbin.text.figures import (
    clock,
    count,
    counted,
    curve,
    folded,
    printable,
    rate,
    share,
    visible,
)
from nubbin_core.waiting import join

MAX_COLUMNS = 92  # longer lines are hard to read
MARGIN_COLUMNS = 2
_MIN_BEST_ROWS = 3  # with less room, the best candidate is not shown
_TABLE_WIDTHS = (7, 12, 10, 11)  # columns: label, bytes, lines, tokens
_TABLE_COLUMNS = sum(_TABLE_WIDTHS)
_GAP_COLUMNS = 4  # between the table and the curve
MIN_COLUMNS = _TABLE_COLUMNS + 2 * MARGIN_COLUMNS  # for the table
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


def frame(
    progress: Progress,
    *,
    name: str,
    columns: int,
    rows: int,
    per_second: float,
    braille: bool,
    best: Sequence[str] = (),
) -> list[Text]:
    """Return the current frame of the reduction of `name`, for a window of `columns` by `rows`.

    It has one `Text` per row, none wider than the window. `per_second` is the current query rate.
    Without `braille`, the frame has no curve. `best` has the first lines of the best candidate,
    which are shown below if there is room.
    """
    width = min(columns, MAX_COLUMNS) - 2 * MARGIN_COLUMNS
    lines = [_title(progress, name, width)]
    if progress.started is None:
        lines.append(Text(checking_line(progress.checking), style="dim"))
    elif columns < MIN_COLUMNS or rows < 10:
        lines += [_brief(progress), _effort(progress, per_second, width)]
    else:
        lines += [
            Text(),
            *picture(progress, width, braille=braille),
            Text(),
            _effort(progress, per_second, width),
            _list(progress, width),
        ]
        if best and rows - len(lines) > _MIN_BEST_ROWS:
            lines += [Text(), *(Text(line, style="dim") for line in best[: rows - len(lines) - 2])]
    lines[1:1] = _known(progress, width)[: max(0, rows - len(lines))]
    if progress.is_interrupted:
        lines[1:] = [Text("interrupting ..."), *lines[1 : rows - 1]]
    for line in lines:
        line.truncate(max(width, 1), overflow="ellipsis")
        line.pad_left(MARGIN_COLUMNS)
    return lines


def _known(progress: Progress, width: int) -> list[Text]:
    folds = (folded(line, max(width, 20)).splitlines() for line in lines_known(progress))
    return [Text(line, style="dim") for lines in folds for line in lines]


def picture(progress: Progress, width: int, *, braille: bool) -> list[Text]:
    """Return a table of the sizes at the start and now, with a curve beside or below it."""
    units = ("bytes", progress.items or "lines", "tokens")
    table = _table(progress.before, progress.sizes, units)
    room = width - _TABLE_COLUMNS - _GAP_COLUMNS
    if not braille:
        return table
    if room < 12:
        return [*table, Text(), *_curve(progress, min(width, _TABLE_COLUMNS), 1)]
    drawn = _curve(progress, room, len(table))
    return [
        Text.assemble(*row)
        for row in zip(table, [" " * _GAP_COLUMNS] * len(table), drawn, strict=True)
    ]


def _table(before: Sizes, after: Sizes, units: Sequence[str]) -> list[Text]:
    old, new = (before.bytes, before.lines, before.tokens), (after.bytes, after.lines, after.tokens)
    removed = [share(was - size, was) for was, size in zip(old, new, strict=True)]
    return [
        _row("", units, "dim"),
        _row("start", [count(size) for size in old], ""),
        _row("now", [count(size) for size in new], "bold"),
        _row("removed", removed, "green"),
    ]


def headline(name: str) -> Text:
    """Return the beginning of the first line about the reduction of `name`."""
    return Text.assemble(("nubbin", "bold cyan"), "  ", (printable(name), "bold"))


def row_of_facts(first: Text, *facts: str, width: int) -> Text:
    """Return `first`, followed by each fact that is not empty and fits into the row."""
    for fact in filter(None, facts):
        if first.cell_len + 3 + len(fact) <= width:
            first.append(f"   {fact}")
    return first


def _beside(left: Text, right: Text, width: int) -> Text:
    room = width - left.cell_len - right.cell_len
    return Text.assemble(left, " " * room, right) if room >= 2 else left


def _row(label: str, cells: Sequence[str], style: str) -> Text:
    padded = (
        (cell.rjust(width), style) for cell, width in zip(cells, _TABLE_WIDTHS[1:], strict=True)
    )
    return Text.assemble((label.ljust(_TABLE_WIDTHS[0]), "dim"), *padded)


def _title(progress: Progress, name: str, width: int) -> Text:
    left = headline(name)
    facts = [clock(progress.seconds)]
    if progress.started is not None:
        facts = [progress.started.algorithm, counted(progress.started.jobs, "job"), *facts]
    while len(facts) > 1 and left.cell_len + len(" · ".join(facts)) + 2 > width:
        del facts[0]
    return _beside(left, Text(" · ".join(facts), style="dim"), width)


def _brief(progress: Progress) -> Text:
    before, now, unit = progress.before.bytes, progress.sizes.bytes, "bytes"
    if progress.items:
        before, now, unit = progress.before.lines, progress.sizes.lines, progress.items
    removed = share(before - now, before)
    return Text.assemble((count(now), "bold"), f" {unit}  ", (removed, "green"), " removed")


def _effort(progress: Progress, per_second: float, width: int) -> Text:
    number, noun = counted(progress.queries, "query").split()
    return row_of_facts(
        Text.assemble((number, "bold"), f" {noun}"),
        rate(per_second),
        f"{share(progress.so_far.succeeded, progress.queries)} accepted"
        if progress.queries
        else "",
        f"{count(progress.so_far.unresolved)} unresolved" if progress.so_far.unresolved else "",
        width=width,
    )


def _list(progress: Progress, width: int) -> Text:
    left = Text()
    if progress.is_paused:
        left = Text("paused; to continue: nubbin watch", style="yellow")
    elif progress.list is not None:
        left = Text.assemble(
            (progress.list.name, "cyan"), (f": {counted(progress.list.elements, 'element')}", "dim")
        )
    return _beside(left, Text("Ctrl-C stops and keeps the best", style="dim"), width)


def _curve(progress: Progress, columns: int, rows: int) -> list[Text]:
    points = progress.history
    drawn = curve(
        [point.seconds for point in points],
        [point.sizes.bytes for point in points],
        end=max(progress.seconds, points[-1].seconds),
        columns=columns,
        rows=rows,
    )
    return [Text(row, style="cyan") for row in drawn]
