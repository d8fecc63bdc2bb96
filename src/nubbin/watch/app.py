"""The full-screen view of recorded runs."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from nubbin.watch.run_list import RunList
from nubbin.watch.run_screen import RunScreen


class WatchApp(App[None]):
    """Shows one run, or the runs in the current folder. It may be closed at any time."""

    CSS_PATH = "watch.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(self, run: Path | None):
        super().__init__()
        self._run = run
        self.theme = "ansi-dark"  # the terminal's own colours

    def on_mount(self) -> None:
        """Open the first screen, and close with the terminal, or when somebody ends it."""
        for each in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(each, self.exit)
        self.push_screen(RunList(Path()) if self._run is None else RunScreen(self._run))
