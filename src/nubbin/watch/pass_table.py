"""A table of passes: their queries, and the bytes that they removed."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from nubbin.runs.steps import gains_of
from nubbin.text.figures import count, counted, duration, share
from nubbin.text.visible import printable
from nubbin.watch.snapshot import Panel, Snapshot

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


class PassTable(Panel):
    """A row for each pass, in the order of their first lists."""

    def show(self, snapshot: Snapshot) -> None:
        """Show a run."""
        self.update(Text("\n").join(rows(snapshot, self.size.width)))


def rows(snapshot: Snapshot, width: int) -> Iterator[Text]:
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
