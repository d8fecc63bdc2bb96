"""The best candidate, and what it has just lost."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static


class BestView(VerticalScroll):
    """A text that scrolls; a new one comes with its first change in sight."""

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        yield Static(id="best-text")

    def show(self, text: Text) -> None:
        """Show another text."""
        self.query_one("#best-text", Static).update(text)
        change = next((span.start for span in text.spans if "strike" in str(span.style)), 0)
        line = text.plain.count("\n", 0, change)
        self.scroll_to(y=max(0, line - self.size.height // 3), animate=False)
