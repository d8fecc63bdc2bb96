"""The program of `nubbin watch`: one run on the whole screen."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import OptionList, Static, TabbedContent, TabPane
from textual.widgets.option_list import Option

from nubbin.journal.recorded_run import ListedRun, end_of, runs_in
from nubbin.text.figures import clock, count, counted, curve, printable, visible
from nubbin.watch.candidate_text import BestView, candidate_text
from nubbin.watch.keys import KeyBar, SteeringScreen
from nubbin.watch.panels import Panel, failure_lines, head_lines, pass_lines, test_lines
from nubbin.watch.reader import RunReader, Snapshot
from nubbin_core.errors import NubbinError

_PERIOD_S = 0.5  # between two readings of the run
_KEYS_S = 20.0  # for which the explanation of the keys is shown

#: The tabs by their titles; the first letter of each is its key.
_TABS: dict[str, Callable[[], Widget]] = {
    "best": BestView,
    "passes": lambda: VerticalScroll(Panel(pass_lines)),
    "test": lambda: VerticalScroll(Panel(test_lines)),
    "different failures": lambda: VerticalScroll(Panel(failure_lines)),
}

Files = Mapping[str, bytes]


class RunScreen(SteeringScreen):
    """The view of a run, which a thread reads twice a second."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "leave", tooltip="leave the view; the run continues"),
        Binding("escape", "leave", show=False),
        Binding("x", "switch_axis", "axis", tooltip="draw the curve over queries or over time"),
        Binding("question_mark", "keys", "keys", key_display="?"),
        *(
            Binding(each[0], f"tab('{each.split()[0]}')", show=False, tooltip=f"show the {each}")
            for each in _TABS
        ),
    ]

    def __init__(self, run: Path):
        super().__init__(run)
        # The classes in watch.tcss, by the least columns and rows of a window.
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-high")]
        self._reader = RunReader(run)
        self._candidates: tuple[Files, Files] | None = None  # the ones shown

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        yield Panel(head_lines, id="headline")
        with Container(id="body"):
            with Container(id="side"):
                yield SizeCurve()
                with VerticalScroll():
                    yield Panel(pass_lines)
            with TabbedContent(id="tabs"):
                for title, content in _TABS.items():
                    yield TabPane(f"[u]{title[0]}[/]{title[1:]}", content(), id=title.split()[0])
        yield KeyBar()

    @work
    async def on_mount(self) -> None:
        """Show the run now, and then twice a second; a thread reads it."""
        while True:
            with suppress(NoMatches):  # widgets are made after the screen, and removed before it
                while await self._is_more_to_read():
                    pass
            await asyncio.sleep(_PERIOD_S)

    async def _is_more_to_read(self) -> bool:
        """Read and show the run; tell whether some of its steps are still unread."""
        try:
            snapshot, text = await asyncio.to_thread(self._read)
        except NubbinError as error:  # the next attempt may succeed
            self.query_one("#headline", Static).update(Text(visible(str(error)), "yellow"))
            return False
        self._show(snapshot, text)
        return bool(snapshot.unread)

    def _read(self) -> tuple[Snapshot, Text | None]:
        """Return the state of the run, and the text of the best candidate if it has changed."""
        snapshot = self._reader.read()
        candidates = snapshot.run.before, snapshot.run.best
        if snapshot.unread or candidates == self._candidates:
            return snapshot, None
        return snapshot, candidate_text(*candidates)

    def _show(self, snapshot: Snapshot, text: Text | None) -> None:
        was_under_way = self._snapshot is not None and self._snapshot.is_under_way
        self._snapshot = snapshot
        if snapshot.is_under_way != was_under_way:
            self.refresh_bindings()
        for panel in self.query(Panel):
            panel.show(snapshot)
        if text is not None:
            self.query_one(BestView).show(text)
            self._candidates = snapshot.run.before, snapshot.run.best

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Let the arrow keys scroll the tab."""
        event.pane.query_one(VerticalScroll).focus()

    def action_leave(self) -> None:
        """Return to the list of runs, or to the shell."""
        if len(self.app.screen_stack) > 2:
            self.dismiss()
        else:
            self.app.exit()

    def action_keys(self) -> None:
        """Explain the keys of this screen, by their tooltips."""
        active = [each for each in self.active_bindings.values() if each.node is self]
        own = [each.binding for each in active if each.tooltip]
        lines = [f"{self.app.get_key_display(each):5}  {each.tooltip}" for each in own]
        self.notify("\n".join(lines), title="Keys", timeout=_KEYS_S, markup=False)

    def action_switch_axis(self) -> None:
        """Draw the curve over queries instead of time, or over time instead of queries."""
        self.query_one(SizeCurve).switch_axis()

    def action_tab(self, name: str) -> None:
        """Show another tab."""
        self.query_one(TabbedContent).active = name


class SizeCurve(Panel):
    """A curve of the available size; `switch_axis` switches between time and queries."""

    def __init__(self) -> None:
        super().__init__(self._drawn, id="curve")
        self._over_queries = False

    def switch_axis(self) -> None:
        """Draw over queries instead of time, or over time instead of queries."""
        self._over_queries = not self._over_queries
        self.on_resize()

    def _drawn(self, snapshot: Snapshot, width: int) -> Iterator[Text]:
        run, rows = snapshot.run, self.size.height - 1
        steps = run.steps
        top, bottom = (count(each(step.bytes for step in steps)) for each in (max, min))
        gutter = max(len(top), len(bottom)) + 1
        columns = width - gutter
        if rows < 1 or columns < 8:
            return
        at = [float(each.queries) if self._over_queries else each.seconds for each in steps]
        end = max(at[-1], float(run.queries) if self._over_queries else run.seconds)
        drawn = curve(at, [each.bytes for each in steps], end=end, columns=columns, rows=rows)
        labels = [top, *[""] * (rows - 2), bottom] if rows > 1 else [bottom]
        for label, row in zip(labels, drawn, strict=True):
            yield Text.assemble((f"{label:>{gutter - 1}} ", "dim"), (row, "cyan"))
        yield Text(f"{' ' * gutter}{self._axes(snapshot, end, columns)}", style="dim")

    def _axes(self, snapshot: Snapshot, end: float, columns: int) -> str:
        over = "queries" if self._over_queries else "time"
        last = counted(snapshot.run.queries, "query") if self._over_queries else clock(end)
        for title in (f"bytes (log) over {over}", f"over {over}"):
            if len(title) + len(last) < columns:
                return f"{title}{last.rjust(columns - len(title))}"
        return ""


_RUNS_PERIOD_S = 2.0  # between two readings of the runs


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
            await asyncio.sleep(_RUNS_PERIOD_S)

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
