"""The head of the view: the input, the progress and the current list; and a view in plain lines."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from nubbin.report.endings import state_in_words
from nubbin.report.frame import row_of_facts
from nubbin.report.lines import looking_for_line
from nubbin.text.figures import clock, count, counted, duration, rate, share
from nubbin.text.visible import folded, printable
from nubbin.watch.panels import pass_lines, test_lines
from nubbin.watch.reader import RunReader, Snapshot

_COLUMNS = 100
_MAX_WANTED_ROWS = 3


def lines(snapshot: Snapshot, width: int) -> list[Text]:
    """Return lines of at most `width` columns: title, failure, sizes and current work."""
    wanted = folded(looking_for_line(snapshot.job.looking_for), max(width, 20)).splitlines()
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
            f": {count(part.kept)} of {counted(part.elements, 'element')} left",
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
        Text.assemble(("nubbin", "bold cyan"), "  ", (printable(snapshot.name), "bold")),
        _state(snapshot),
        clock(run.seconds),
        counted(run.tally.jobs, "job") if run.tally else "",
        printable(snapshot.job.options.algorithm),
        width=width,
    )


def _state(snapshot: Snapshot) -> str:
    if snapshot.is_silent:
        return f"no news for {duration(snapshot.silence)}"
    return "paused" if snapshot.is_paused else state_in_words(snapshot.run.state)


def _sizes(snapshot: Snapshot, width: int) -> Text:
    run = snapshot.run
    before, now, asked = run.steps[0].bytes, run.steps[-1].bytes, run.queries
    yes = sum(each.interesting for each in run.tally.passes) if run.tally else 0
    return row_of_facts(
        Text.assemble((f"{count(before)} → ", ""), (counted(now, "byte"), "bold")),
        f"{share(before - now, before)} gone",
        counted(asked, "query"),
        rate(snapshot.per_second) if snapshot.is_under_way else "",
        f"{share(yes, asked)} interesting" if run.tally else "",
        width=width,
    )


def _end(snapshot: Snapshot) -> Text:
    facts, run = snapshot.run.facts, printable(snapshot.run.folder)
    result = f"result: {printable(facts.target)}"
    if snapshot.run.state == "fixpoint":
        return Text(f"{'1-minimal' if facts.minimal else 'done'}; {result}", style="green")
    return Text(f"{result}; continue it with: nubbin resume {run}", style="yellow")


def plain_lines(run: Path) -> list[str]:
    """Return the current state of a run; raises NubbinError if it is unreadable or never began."""
    snapshot = RunReader(run).read()
    shown = [
        *lines(snapshot, _COLUMNS),
        "",
        *pass_lines(snapshot, _COLUMNS),
        "",
        *test_lines(snapshot, _COLUMNS),
    ]
    return [str(line).rstrip() for line in shown]
