"""Print progress as plain lines, for logs and pipes."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from nubbin.checks.case import Checking
from nubbin.documents.document import Sizes
from nubbin.reduction import events
from nubbin.reduction.events import Event
from nubbin.report.lines import (
    checking_line,
    lines_about,
    looking_for_line,
    progress_line,
    query_line,
    sizes_in_words,
)
from nubbin.report.progress import Progress
from nubbin.text.figures import counted, duration, printable
from nubbin_core.search.problem import Answered

_MIN_LIST_PERIOD_S = 1.0  # between two lines about lists
_MIN_IMPROVED_PERIOD_S = 5.0  # between two lines about improvements
_MAX_SILENCE_S = 10.0  # without a line, even if nothing improves


class LogLines:
    """An observer that writes a line at the start, and then from time to time.

    It writes a line for a new list if the size has changed and a second has passed since the last
    line, for an improvement after five seconds, and for any query after ten. With `verbose`, it
    writes a line for each query and each improvement. It first passes each event to `progress`, and
    then reads that.
    """

    def __init__(self, console: Console, progress: Progress, *, verbose: bool = False) -> None:
        self._console = console
        self._progress = progress
        self._verbose = verbose
        self._last = 0.0  # time of the last line, in seconds
        self._last_sizes: Sizes | None = None  # in the last line that had some
        self._checking = ""  # the last line about a run before the start

    def __call__(self, event: Event) -> None:
        """Write a line if the event needs one."""
        self._progress(event)
        match event:
            case Answered():
                if self._verbose:
                    self._console.print(query_line(event, self._progress.queries), soft_wrap=True)
                elif self._since() >= _MAX_SILENCE_S:
                    self._say_sizes()
            case events.Improved():
                if self._verbose or self._since() >= _MIN_IMPROVED_PERIOD_S:
                    self._say_sizes()
            case events.ListStarted():
                if self._is_news():
                    self._say_sizes(f"{event.name}: {counted(event.elements, 'element')}; ")
            case Checking(run=1, took=None):
                self._say_checking(checking_line(event))
            case events.LeftOut() | events.TakenApart():
                pass  # the summary says it
            case events.Started():
                self._say_start(event)
            case _:
                self._say(*lines_about(event))

    def _say_start(self, event: events.Started) -> None:
        is_told = any(isinstance(each, events.Learned) for each in self._progress.about_test)
        if event.looking_for and not is_told:
            self._say(looking_for_line(event.looking_for))
        start = f"{sizes_in_words(event.sizes, event.items)}; {event.algorithm}"
        start += f", {counted(event.jobs, 'job')}"
        checked = self._progress.checking
        took = checked.took if checked else None
        each_run = "" if took is None else f", {duration(took)} a run of the test"
        self._last_sizes = event.sizes
        self._say(f"{printable(event.name)}: {start}{each_run}")

    def _say_checking(self, line: str) -> None:
        if line != self._checking:  # several phases of the start have a first run
            self._checking = line
            self._say(line)

    def _is_news(self) -> bool:
        return self._since() >= _MIN_LIST_PERIOD_S and self._progress.sizes != self._last_sizes

    def _say_sizes(self, before: str = "") -> None:
        self._last_sizes = self._progress.sizes
        self._say(before + progress_line(self._progress))

    def _since(self) -> float:
        return self._progress.seconds - self._last

    def _say(self, *lines: str) -> None:
        self._last = self._progress.seconds
        for line in lines:
            self._console.print(Text(f"nubbin: {line}"), soft_wrap=True)
