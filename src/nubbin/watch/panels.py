"""Draw the parts of the view of a run as lines of text, for a terminal or without one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from rich.text import Text
from textual.widgets import Static

from nubbin.journal.recorded_run import end_of
from nubbin.oracles.commands.command_line import nubbin_line
from nubbin.report.lines import looking_for_line
from nubbin.report.live import headline, row_of_facts
from nubbin.report.runs_table import KIND_COLUMNS, PASS_COLUMNS, kind_rows, pass_rows
from nubbin.text.figures import clock, count, counted, duration, folded, printable, rate, share
from nubbin.watch.reader import RunReader, Snapshot

_COLUMNS = 100
_MAX_WANTED_ROWS = 3
_WIDTHS = (20, 8, 9, 9, 14, 13, 7, 7)  # of `PASS_COLUMNS`; those that do not fit are omitted


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


def head_lines(snapshot: Snapshot, width: int) -> list[Text]:
    """Return lines of at most `width` columns: title, failure, sizes and current work."""
    wanted = folded(looking_for_line(snapshot.job.test.looking_for), max(width, 20)).splitlines()
    made = [
        _title(snapshot, width),
        *(Text(line, style="dim") for line in wanted[:_MAX_WANTED_ROWS]),
        _sizes(snapshot, width),
        at_work(snapshot, width),
    ]
    for line in made:
        line.truncate(width, overflow="ellipsis")
    return made


def at_work(snapshot: Snapshot, width: int) -> Text:
    """Return the current list of a run and an estimate of the rest, or how the run ended."""
    if snapshot.unread:
        return Text(f"reading {counted(snapshot.unread, 'more step')} ...", style="dim")
    if not snapshot.is_under_way:
        return _end(snapshot)
    line = Text()
    if (tally := snapshot.run.tally) and (part := tally.at_work):
        line = Text.assemble(
            (part.pass_name, "cyan"),
            f": {count(part.kept)} of {counted(part.elements, 'element')} kept",
        )
    return row_of_facts(line, remaining(snapshot), width=width)


def remaining(snapshot: Snapshot) -> str:
    """Return an estimate of the rest from an earlier run; "" if there is no such run."""
    estimate, queries, so_far = snapshot.estimate, snapshot.run.queries, snapshot.run.seconds
    if estimate is None or estimate <= queries or not so_far or not queries:
        return ""
    left = estimate - queries
    seconds = left * so_far / queries
    return f"about {duration(seconds)} left: {counted(left, 'query')}, by an earlier run"


def _title(snapshot: Snapshot, width: int) -> Text:
    run = snapshot.run
    return row_of_facts(
        headline(snapshot.name),
        _state(snapshot),
        clock(run.seconds),
        counted(run.tally.jobs, "job") if run.tally else "",
        printable(snapshot.job.options.algorithm),
        width=width,
    )


def _state(snapshot: Snapshot) -> str:
    if snapshot.is_silent:
        return f"no news for {duration(snapshot.silence)}"
    return "paused" if snapshot.is_paused else end_of(snapshot.run.state).words


def _sizes(snapshot: Snapshot, width: int) -> Text:
    run = snapshot.run
    before, now, queries = run.steps[0].bytes, run.steps[-1].bytes, run.queries
    yes = sum(each.interesting for each in run.tally.passes) if run.tally else 0
    return row_of_facts(
        Text.assemble((f"{count(before)} → ", ""), (counted(now, "byte"), "bold")),
        f"{share(before - now, before)} removed",
        counted(queries, "query"),
        rate(snapshot.per_second) if snapshot.is_under_way else "",
        f"{share(yes, queries)} accepted" if run.tally else "",
        width=width,
    )


def _end(snapshot: Snapshot) -> Text:
    facts, run = snapshot.run.facts, snapshot.run.folder
    result = f"result: {printable(facts.target)}"
    if end_of(snapshot.run.state).is_done:
        return Text(f"{'1-minimal' if facts.minimal else 'done'}; {result}", style="green")
    again = printable(nubbin_line("resume", run))
    return Text(f"{result}; continue it with: {again}", style="yellow")


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
    for cells in pass_rows(snapshot.run):
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


def failure_lines(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield lines about different failures: the most telling one, and the path of the candidate."""
    if not snapshot.different_failures:
        yield Text("No different failure was met so far.", style="dim")
        return
    met = counted(len(snapshot.different_failures), "different failure")
    yield Text(f"{met}, each with a small candidate")
    for each in snapshot.different_failures:
        yield Text(f"\n{printable(each.line) or 'without a message'}", style="yellow")
        yield Text(f"  {printable(each.folder)}", style="dim")


def plain_lines(run: Path) -> list[str]:
    """Return the current state of a run; raises NubbinError if it is unreadable or never began."""
    snapshot = RunReader(run).read()
    shown = [
        *head_lines(snapshot, _COLUMNS),
        "",
        *pass_lines(snapshot, _COLUMNS),
        "",
        *test_lines(snapshot, _COLUMNS),
    ]
    return [str(line).rstrip() for line in shown]
