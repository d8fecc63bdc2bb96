"""A part of the view of a run."""

from __future__ import annotations

from textual.widgets import Static

from nubbin.watch.snapshot import Snapshot


class Panel(Static):
    """A text made of a snapshot of the run, for the present size."""

    def show(self, snapshot: Snapshot) -> None:
        """Show the run."""
        raise NotImplementedError
