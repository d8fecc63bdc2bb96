"""Other bugs that were met on the way."""

from __future__ import annotations

from rich.text import Text

from nubbin.report.figures import counted
from nubbin.report.visible import printable
from nubbin.watch.panel import Panel
from nubbin.watch.snapshot import Snapshot


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
