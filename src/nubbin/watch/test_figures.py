"""Figures about the test: its current runs, its times, and how often it accepts."""

from __future__ import annotations

import time
from collections.abc import Iterator

from rich.text import Text

from nubbin.text.figures import clock, count, counted, duration, share
from nubbin.text.visible import printable
from nubbin.watch.snapshot import Panel, Snapshot


class TestFigures(Panel):
    """Lines about the test of a run."""

    __test__ = False  # it is not a test

    def show(self, snapshot: Snapshot) -> None:
        """Show a run."""
        self.update(Text("\n").join(lines(snapshot, time.time())))


def lines(snapshot: Snapshot, now: float) -> Iterator[Text]:
    """Yield lines: the current runs, the times of the test, and the success of kinds of queries."""
    tally, runs = snapshot.tally, snapshot.runs
    if tally is not None and snapshot.is_under_way:
        yield Text(f"{count(len(tally.runs))} of {counted(tally.jobs, 'job')} busy")
        for each in tally.runs:
            seconds = max(0.0, now - each.begun)
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
