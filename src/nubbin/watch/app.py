"""The application: a live list of the recorded runs in a folder, and the view of one run."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from nubbin.runs.ends import end_of
from nubbin.runs.run_list import ListedRun, runs_in
from nubbin.text.figures import count, counted
from nubbin.text.visible import printable
from nubbin.watch.keys import KeyBar
from nubbin.watch.run_screen import RunScreen

_PERIOD_S = 2.0  # between two readings of the runs


class RunList(Screen[None]):
    """A line for each run, the latest first; Enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "app.quit", "leave"),
        Binding("escape", "app.quit", show=False),
    ]

    def __init__(self, folder: Path):
        super().__init__()
        self._folder = folder

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        yield Static(id="heading", markup=False)
        yield OptionList(id="runs", markup=False)
        yield KeyBar()

    @work
    async def on_mount(self) -> None:
        """Show the runs now, and then every two seconds; a thread reads them."""
        while True:
            with suppress(NoMatches):  # widgets are made after the screen, and removed before it
                self._show((await asyncio.to_thread(runs_in, self._folder))[::-1])
            await asyncio.sleep(_PERIOD_S)

    def _show(self, runs: Sequence[ListedRun]) -> None:
        shown = self.query_one(OptionList)
        chosen = shown.highlighted_option
        self.query_one("#heading", Static).update(
            f"{counted(len(runs), 'recorded run')} here; Enter opens one"
            if runs
            else f"There is no recorded run in {printable(self._folder.absolute())}."
        )
        ids = [str(run.folder) for run in runs]
        width = max((len(end_of(run.state).words) for run in runs), default=0)
        shown.set_options(Option(_line(run, width), str(run.folder)) for run in runs)
        if ids:
            shown.highlighted = ids.index(chosen.id) if chosen and chosen.id in ids else 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open a run."""
        self.app.push_screen(RunScreen(Path(str(event.option.id))))


def _line(run: ListedRun, width: int) -> Text:
    end = end_of(run.state)
    style = "cyan" if end.is_under_way else "green" if end.is_done else "yellow"
    return Text.assemble(
        (f"{end.words:<{width}} ", style),
        (f"{count(run.after):>9}", "bold"),
        f" of {counted(run.before, 'byte')}  ",
        (printable(run.folder.name), "dim"),
        no_wrap=True,
        overflow="ellipsis",
    )


class WatchApp(App[None]):
    """Shows one run, or the runs in the current folder. May be closed at any time."""

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
        """Open the first screen; close on a signal, or with the terminal."""
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, self.exit)
        # Without a terminal, nothing can be written, so an orderly end might wait forever.
        loop.add_signal_handler(signal.SIGHUP, os._exit, 128 + signal.SIGHUP)
        self.push_screen(RunList(Path()) if self._run is None else RunScreen(self._run))

    def action_suspend_process(self) -> None:
        """Stop until `fg`, together with a reduction that has opened this view."""
        os.killpg(0, signal.SIGTSTP)
