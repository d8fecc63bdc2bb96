"""The parts of the view of a run: its passes, its test, and other failures, as lines of text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from rich.text import Text
from textual.widgets import Static

from nubbin.report import runs_table
from nubbin.report.runs_table import KIND_COLUMNS, PASS_COLUMNS, kind_rows
from nubbin.text.figures import clock, count, counted, duration
from nubbin.text.visible import printable
from nubbin.watch.reader import Snapshot

_WIDTHS = (20, 9, 9, 10, 12, 13, 7, 7)  # of `PASS_COLUMNS`; those that do not fit are omitted


class Panel(Static):
    """Lines about a run, which `draw` makes for so many columns, again after each new size."""

    def __init__(self, draw: Callable[[Snapshot, int], Iterable[Text]], id: str | None = None):
        super().__init__(id=id, markup=False)
        self._draw = draw
        self._snapshot: Snapshot | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Show a run."""
        self._snapshot = snapshot
        self.on_resize()

    def on_resize(self) -> None:
        """Draw the lines for the present size."""
        if self._snapshot is not None:
            lines = self._draw(self._snapshot, max(1, self.size.width))
            self.update(Text("\n").join(lines))


def pass_lines(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield the rows of the table, at most `width` columns wide unless that is very narrow."""
    tally = snapshot.run.tally
    if tally is None:
        yield Text("There is no tally of this run.", style="dim")
        return
    shown = max(1, sum(columns <= width for columns in accumulate(_WIDTHS)))
    at_work = tally.at_work if snapshot.is_under_way else None
    current = printable(at_work.pass_name) if at_work else None
    yield _row(PASS_COLUMNS, shown, "dim")
    for cells in runs_table.pass_rows(snapshot.run):
        yield _row(cells, shown, "bold cyan" if cells[0] == current else "")
    total = sum(each.seconds for each in tally.passes)
    yield Text(f"{counted(tally.queries, 'query')}, {duration(total)} of test time", "dim")


def _row(cells: Sequence[str], shown: int, style: str) -> Text:
    name, most = cells[0], _WIDTHS[0]
    short = name if len(name) < most else f"{name[: most - 2]}…"
    padded = map(str.rjust, cells[1:shown], _WIDTHS[1:shown])
    return Text(short.ljust(most) + "".join(padded), style=style)


def test_lines(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield lines about the test: its current runs, its times, and how often it accepts."""
    tally, runs = snapshot.run.tally, snapshot.figures
    if tally is not None and snapshot.is_under_way:
        yield Text(f"{count(len(tally.runs))} of {counted(tally.jobs, 'job')} busy")
        for each in tally.runs:
            seconds = max(0.0, time.time() - each.begun)
            yield Text(f"  {clock(seconds):>7}  on {counted(each.bytes, 'byte')}", style="cyan")
        yield Text()
    yield Text(
        f"{counted(runs.runs, 'run')} of the test, on {counted(runs.candidates, 'candidate')}"
    )
    if runs.candidates:
        yield Text(f"  half of them took {duration(runs.median)} or less")
        yield Text(f"  the longest took {duration(runs.longest)}")
    if runs.unresolved:
        stopped = f"; {count(runs.timed_out)} took too long" if runs.timed_out else ""
        yield Text(f"  {count(runs.unresolved)} unresolved{stopped}", style="yellow")
    if rows := kind_rows(tally):
        yield Text()
        for number, (kind, asked, yes) in enumerate([KIND_COLUMNS, *rows]):
            yield Text(f"{kind:<18}{asked:>9}{yes:>10}", style="" if number else "dim")


def bug_lines(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield lines about other failures: the most telling one, and the path of the candidate."""
    if not snapshot.bugs:
        yield Text("No other failure was met so far.", style="dim")
        return
    yield Text(f"{counted(len(snapshot.bugs), 'other failure')}, each with a small candidate")
    for bug in snapshot.bugs:
        yield Text(f"\n{printable(bug.line) or 'without a message'}", style="yellow")
        yield Text(f"  {printable(bug.folder)}", style="dim")
