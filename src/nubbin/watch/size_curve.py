"""Draw the size of the best candidate as a curve, over time or queries."""

from __future__ import annotations

from rich.text import Text

from nubbin.report.curve import curve
from nubbin.text.figures import clock, count, counted
from nubbin.watch.snapshot import Panel, Snapshot


class SizeCurve(Panel):
    """A curve of the available size; `turn` switches between time and queries."""

    def __init__(self) -> None:
        super().__init__(id="curve")
        self._over_queries = False
        self._snapshot: Snapshot | None = None

    def turn(self) -> None:
        """Draw over queries instead of time, or over time instead of queries."""
        self._over_queries = not self._over_queries
        if self._snapshot is not None:
            self.show(self._snapshot)

    def show(self, snapshot: Snapshot) -> None:
        """Show a run."""
        self._snapshot = snapshot
        self.update(self._drawn(snapshot))

    def on_resize(self) -> None:
        """Draw the curve in its new size."""
        if self._snapshot is not None:
            self.show(self._snapshot)

    def _drawn(self, snapshot: Snapshot) -> Text:
        steps, rows = snapshot.steps, self.size.height - 1
        top, bottom = (count(each(step.bytes for step in steps)) for each in (max, min))
        gutter = max(len(top), len(bottom)) + 1
        columns = self.size.width - gutter
        if rows < 1 or columns < 8:
            return Text()
        at = [float(each.queries) if self._over_queries else each.seconds for each in steps]
        end = max(at[-1], float(snapshot.queries) if self._over_queries else snapshot.seconds)
        drawn = curve(at, [each.bytes for each in steps], end=end, columns=columns, rows=rows)
        labels = [top, *[""] * (rows - 2), bottom] if rows > 1 else [bottom]
        text = Text()
        for label, row in zip(labels, drawn, strict=True):
            text.append(label.rjust(gutter - 1), style="dim").append(" ").append(f"{row}\n", "cyan")
        return text.append(f"{' ' * gutter}{self._axes(snapshot, end, columns)}", style="dim")

    def _axes(self, snapshot: Snapshot, end: float, columns: int) -> str:
        """Return the names of the axes and the end of the lower one, if they fit."""
        over = "queries" if self._over_queries else "time"
        last = counted(snapshot.queries, "query") if self._over_queries else clock(end)
        for title in (f"bytes (log) over {over}", f"over {over}"):
            if len(title) + len(last) < columns:
                return f"{title}{last.rjust(columns - len(title))}"
        return ""
