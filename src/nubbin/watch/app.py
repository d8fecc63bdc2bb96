"""The full-screen view of recorded runs."""

from __future__ import annotations

import asyncio
import os
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
        super().__init__(ansi_color=True)  # the terminal's own colours
        self._run = run
        self.theme = "ansi-dark"

    def on_mount(self) -> None:
        """Open the first screen, and close when somebody ends this, or with the terminal."""
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, self.exit)
        # Nothing can be written any more: an orderly end might wait for ever.
        loop.add_signal_handler(signal.SIGHUP, os._exit, 128 + signal.SIGHUP)
        self.push_screen(RunList(Path()) if self._run is None else RunScreen(self._run))

    def action_suspend_process(self) -> None:
        """Stop until `fg`, with the reduction that has opened this view, if one has."""
        os.killpg(0, signal.SIGTSTP)
