"""Show one run on the whole screen."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.message import Message
from textual.widgets import TabbedContent, TabPane

from nubbin.report.curve import curve
from nubbin.text.figures import clock, count, counted
from nubbin.text.visible import printable, visible
from nubbin.watch.candidate_text import BestView, candidate_text
from nubbin.watch.headline import Headline
from nubbin.watch.helm import Helm
from nubbin.watch.key_bar import KeyBar
from nubbin.watch.pass_table import PassTable
from nubbin.watch.reader import RunReader
from nubbin.watch.snapshot import Panel, Snapshot
from nubbin.watch.test_figures import TestFigures
from nubbin_core.errors import NubbinError

_PERIOD_S = 0.5  # between two readings of the run
_KEYS_S = 20.0  # for which the explanation of the keys is shown
_KEYS = """\
space  pause or continue the run
s      skip the pass at work
+ -    run one test more, or one fewer, at once
l      set a limit
e      end the run with the best candidate
b p t o  show the best, the passes, the test, or other failures
x      draw the curve over queries or over time
q      leave the view; the run continues"""

Files = Mapping[str, bytes]


class RunScreen(Helm):
    """The view of a run, which a thread reads twice a second."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "leave"),
        Binding("escape", "leave", show=False),
        Binding("x", "turn", "axis"),
        Binding("question_mark", "keys", "keys", key_display="?"),
        Binding("b", "tab('best')", show=False),
        Binding("p", "tab('passes')", show=False),
        Binding("t", "tab('test')", show=False),
        Binding("o", "tab('bugs')", show=False),
    ]

    class Read(Message):
        """The run was read. `text` is the best candidate; None if it has not changed."""

        def __init__(self, snapshot: Snapshot, text: Text | None):
            super().__init__()
            self.snapshot = snapshot
            self.text = text

    class CannotRead(Message):
        """The run could not be read."""

        def __init__(self, reason: str):
            super().__init__()
            self.reason = reason

    def __init__(self, run: Path):
        super().__init__(run)
        # The classes in watch.tcss, by the least columns and rows of a window.
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-high")]
        self._reader = RunReader(run)
        self._reading = threading.Lock()
        self._candidates: tuple[Files, Files] | None = None  # the ones shown

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        yield Headline(id="headline", markup=False)
        with Container(id="body"):
            with Container(id="side"):
                yield SizeCurve()
                with VerticalScroll():
                    yield PassTable()
            with TabbedContent(id="tabs"):
                with TabPane("[u]b[/]est", id="best"):
                    yield BestView()
                with TabPane("[u]p[/]asses", id="passes"), VerticalScroll():
                    yield PassTable()
                with TabPane("[u]t[/]est", id="test"), VerticalScroll():
                    yield TestFigures()
                with TabPane("[u]o[/]ther bugs", id="bugs"), VerticalScroll():
                    yield BugList()
        yield KeyBar()

    def on_mount(self) -> None:
        """Read the run now, and then twice a second."""
        self.set_interval(_PERIOD_S, self._read)
        self._read()

    @work(thread=True)
    def _read(self) -> None:
        """Read the run, unless another thread still does."""
        if not self._reading.acquire(blocking=False):
            return
        try:
            snapshot = self._reader.read()
            self.post_message(self.Read(snapshot, self._text_of(snapshot)))
        except NubbinError as error:
            self.post_message(self.CannotRead(str(error)))
        finally:
            self._reading.release()

    def _text_of(self, snapshot: Snapshot) -> Text | None:
        candidates = snapshot.before, snapshot.best
        if snapshot.unread or candidates == self._candidates:
            return None
        self._candidates = candidates
        return candidate_text(*candidates)

    def on_run_screen_read(self, message: Read) -> None:
        """Show the run."""
        was_under_way = self._snapshot is not None and self._snapshot.is_under_way
        self._snapshot = message.snapshot
        if message.snapshot.is_under_way != was_under_way:
            self.refresh_bindings()
        self._show()
        if message.text is not None:
            self.query_one(BestView).show(message.text)
        if message.snapshot.unread:
            self._read()

    def on_run_screen_cannot_read(self, message: CannotRead) -> None:
        """Show why the run cannot be read; the next attempt may succeed."""
        self.query_one(Headline).update(Text(visible(message.reason), "yellow"))

    def on_resize(self) -> None:
        """Show everything in the new size."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        if self._snapshot is not None:
            for panel in self.query(Panel):
                panel.show(self._snapshot)

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Fill the tab, which had no size until now, and let the arrow keys scroll it."""
        event.pane.query_one(VerticalScroll).focus()
        self.call_after_refresh(self._show)

    def action_leave(self) -> None:
        """Return to the list of runs, or to the shell."""
        if len(self.app.screen_stack) > 2:
            self.dismiss()
        else:
            self.app.exit()

    def action_keys(self) -> None:
        """Explain all keys."""
        self.notify(_KEYS, title="Keys", timeout=_KEYS_S, markup=False)

    def action_turn(self) -> None:
        """Draw the curve over queries instead of time, or over time instead of queries."""
        self.query_one(SizeCurve).turn()

    def action_tab(self, name: str) -> None:
        """Show another tab."""
        self.query_one(TabbedContent).active = name


class BugList(Panel):
    """The other failures: their most telling lines, and the paths of their candidates."""

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
