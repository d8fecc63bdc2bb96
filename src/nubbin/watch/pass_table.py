"""What each pass has asked, and what it gained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from rich.text import Text

from nubbin.text.figures import count, counted, duration, share
from nubbin.text.visible import printable
from nubbin.watch.snapshot import Panel, Snapshot

#: The columns after the name, each with its width; those that do not fit are left out.
_COLUMNS = (
    ("queries", 9),
    ("gone", 9),
    ("yes", 8),
    ("bytes gone", 12),
    ("test time", 13),
    ("lists", 7),
)
_NAME_COLUMNS = 20


class PassTable(Panel):
    """A row for each pass, in the order of their first lists, with its queries and its gain."""

    def show(self, snapshot: Snapshot) -> None:
        """Show a run."""
        self.update(Text("\n").join(rows(snapshot, self.size.width)))


def rows(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """Yield the rows of the table, none wider than `width` unless that is very small."""
    if snapshot.tally is None:
        yield Text("There is no tally of this run.", style="dim")
        return
    shown = 0
    while (
        shown < len(_COLUMNS) and _NAME_COLUMNS + sum(w for _, w in _COLUMNS[: shown + 1]) <= width
    ):
        shown += 1
    gains = gained(snapshot)
    whole = snapshot.steps[0].bytes
    yield _row("pass", [name for name, _ in _COLUMNS], shown, "dim")
    at_work = snapshot.tally.at_work if snapshot.is_under_way else None
    for each in snapshot.tally.passes:
        cells = [
            count(each.queries),
            share(gains[each.name], whole) if gains[each.name] > 0 else "",
            share(each.interesting, each.queries) if each.queries else "",
            count(gains[each.name]) if gains[each.name] else "",
            duration(each.seconds) if each.queries else "",
            count(each.lists),
        ]
        is_at_work = at_work is not None and at_work.pass_name == each.name
        yield _row(each.name, cells, shown, "bold cyan" if is_at_work else "")
    total = sum(each.seconds for each in snapshot.tally.passes)
    yield Text(f"{counted(snapshot.tally.queries, 'query')}, {duration(total)} of test time", "dim")


def gained(snapshot: Snapshot) -> Counter[str]:
    """Return how many bytes each pass took away; fewer than none if it added some."""
    gains: Counter[str] = Counter()
    for before, after in pairwise(snapshot.steps):
        gains[after.pass_name] += before.bytes - after.bytes
    return gains


def _row(name: str, cells: list[str], shown: int, style: str) -> Text:
    padded = "".join(
        cell.rjust(width) for cell, (_, width) in zip(cells[:shown], _COLUMNS, strict=False)
    )
    name = printable(name)
    short = name if len(name) < _NAME_COLUMNS else f"{name[: _NAME_COLUMNS - 2]}…"
    return Text(short.ljust(_NAME_COLUMNS) + padded, style=style)


class BugList(Panel):
    """Each kind of other failure: what tells it, and where its smallest candidate lies."""

    def show(self, snapshot: Snapshot) -> None:
        """Show a run."""
        if not snapshot.bugs:
            self.update(Text("No other failure was met so far.", style="dim"))
            return
        text = Text(
            f"{counted(len(snapshot.bugs), 'other failure')}, each with a small candidate\n"
        )
        for bug in snapshot.bugs:
            text.append(f"\n{printable(bug.line) or 'without a message'}\n", style="yellow")
            text.append(f"  {printable(bug.folder)}\n", style="dim")
        self.update(text)
