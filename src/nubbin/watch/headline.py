"""The head of the view: the input, the progress and the current list; and a view in plain lines."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from nubbin.report.endings import state_in_words
from nubbin.report.frame import row_of_facts
from nubbin.report.lines import looking_for_line
from nubbin.text.figures import clock, count, counted, duration, rate, share
from nubbin.text.visible import folded, printable
from nubbin.watch.panels import pass_rows, test_lines
from nubbin.watch.reader import RunReader, Snapshot

_COLUMNS = 100
_MAX_WANTED_ROWS = 3


def lines(snapshot: Snapshot, width: int) -> list[Text]:
    """Return lines of at most `width` columns: title, failure, sizes and current work."""
    wanted = folded(looking_for_line(snapshot.looking_for), max(width, 20)).splitlines()
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
    tally = snapshot.tally
    if tally is not None and tally.at_work is not None:
        part = tally.at_work
        line = Text.assemble(
            (part.pass_name, "cyan"),
            f": {count(part.kept)} of {counted(part.elements, 'element')} left",
        )
    return row_of_facts(line, remaining(snapshot), width=width)


def remaining(snapshot: Snapshot) -> str:
    """Return an estimate of the rest from an earlier run; "" if there is no such run."""
    estimate, queries = snapshot.estimate, snapshot.queries
    if estimate is None or estimate.queries <= queries or not snapshot.seconds or not queries:
        return ""
    left = estimate.queries - queries
    seconds = left * snapshot.seconds / queries
    return f"about {duration(seconds)} left: {counted(left, 'query')}, by an earlier run"


def _title(snapshot: Snapshot, width: int) -> Text:
    return row_of_facts(
        Text.assemble(("nubbin", "bold cyan"), "  ", (printable(snapshot.name), "bold")),
        _state(snapshot),
        clock(snapshot.seconds),
        counted(snapshot.tally.jobs, "job") if snapshot.tally else "",
        printable(snapshot.algorithm),
        width=width,
    )


def _state(snapshot: Snapshot) -> str:
    if snapshot.is_silent:
        return f"no news for {duration(snapshot.silence)}"
    return "paused" if snapshot.is_paused else state_in_words(snapshot.state)


def _sizes(snapshot: Snapshot, width: int) -> Text:
    before, now = snapshot.steps[0].bytes, snapshot.steps[-1].bytes
    asked = snapshot.queries
    yes = sum(each.interesting for each in snapshot.tally.passes) if snapshot.tally else 0
    return row_of_facts(
        Text.assemble((f"{count(before)} → ", ""), (counted(now, "byte"), "bold")),
        f"{share(before - now, before)} gone",
        counted(asked, "query"),
        rate(snapshot.per_second) if snapshot.is_under_way else "",
        f"{share(yes, asked)} interesting" if snapshot.tally else "",
        width=width,
    )


def _end(snapshot: Snapshot) -> Text:
    if snapshot.state == "fixpoint":
        minimal = "1-minimal" if snapshot.facts.minimal else "done"
        return Text(f"{minimal}; result: {printable(snapshot.facts.target)}", style="green")
    result, run = printable(snapshot.facts.target), printable(snapshot.folder)
    return Text(f"result: {result}; continue it with: nubbin resume {run}", style="yellow")


def plain_lines(run: Path) -> list[str]:
    """Return the current state of a run; raises NubbinError if it is unreadable or never began."""
    snapshot = RunReader(run).read()
    shown = [
        *lines(snapshot, _COLUMNS),
        "",
        *pass_rows(snapshot, _COLUMNS),
        "",
        *test_lines(snapshot, _COLUMNS),
    ]
    return [str(line).rstrip() for line in shown]
