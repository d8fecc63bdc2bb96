"""The parts of the view of a run: its passes, its test, and other failures, as lines of text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from rich.text import Text
from textual.widgets import Static

from nubbin.runs.steps import gains_of
from nubbin.text.figures import clock, count, counted, duration, share
from nubbin.text.visible import printable
from nubbin.watch.reader import Snapshot

#: The columns after the name and their widths. Columns that do not fit are omitted.
_COLUMNS = (
    ("queries", 9),
    ("gone", 9),
    ("yes", 8),
    ("bytes gone", 12),
    ("test time", 13),
    ("lists", 7),
)
_NAME_COLUMNS = 20


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


def pass_rows(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield the rows of the table, at most `width` columns wide unless that is very narrow."""
    if snapshot.tally is None:
        yield Text("There is no tally of this run.", style="dim")
        return
    shown = 0
    while (
        shown < len(_COLUMNS) and _NAME_COLUMNS + sum(w for _, w in _COLUMNS[: shown + 1]) <= width
    ):
        shown += 1
    gains = gains_of(snapshot.steps)
    whole = snapshot.steps[0].bytes
    yield _row("pass", [name for name, _ in _COLUMNS], shown, "dim")
    at_work = snapshot.tally.at_work if snapshot.is_under_way else None
    for each in snapshot.tally.passes:
        gone = sum(gains.get(each.name, ()))
        cells = [
            count(each.queries),
            share(gone, whole) if gone > 0 else "",
            share(each.interesting, each.queries) if each.queries else "",
            count(gone) if gone else "",
            duration(each.seconds) if each.queries else "",
            count(each.lists),
        ]
        is_at_work = at_work is not None and at_work.pass_name == each.name
        yield _row(each.name, cells, shown, "bold cyan" if is_at_work else "")
    total = sum(each.seconds for each in snapshot.tally.passes)
    yield Text(f"{counted(snapshot.tally.queries, 'query')}, {duration(total)} of test time", "dim")


def _row(name: str, cells: list[str], shown: int, style: str) -> Text:
    padded = "".join(
        cell.rjust(width) for cell, (_, width) in zip(cells[:shown], _COLUMNS, strict=False)
    )
    name = printable(name)
    short = name if len(name) < _NAME_COLUMNS else f"{name[: _NAME_COLUMNS - 2]}…"
    return Text(short.ljust(_NAME_COLUMNS) + padded, style=style)


def test_lines(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield lines about the test: its current runs, its times, and how often it accepts."""
    tally, runs = snapshot.tally, snapshot.runs
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
    if tally is not None and tally.kinds:
        yield Text()
        yield Text(f"{'kind of query':<18}{'asked':>9}{'yes':>9}", style="dim")
        for kind, (asked, yes) in sorted(tally.kinds.items(), key=lambda each: -each[1][0]):
            yield Text(f"{printable(kind):<18}{count(asked):>9}{share(yes, asked):>9}")


def bug_lines(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield lines about other failures: the most telling one, and the path of the candidate."""
    if not snapshot.bugs:
        yield Text("No other failure was met so far.", style="dim")
        return
    yield Text(f"{counted(len(snapshot.bugs), 'other failure')}, each with a small candidate")
    for bug in snapshot.bugs:
        yield Text(f"\n{printable(bug.line) or 'without a message'}", style="yellow")
        yield Text(f"  {printable(bug.folder)}", style="dim")
