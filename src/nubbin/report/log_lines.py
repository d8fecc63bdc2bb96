"""Progress as plain lines, for logs and pipes."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from nubbin.reduction.events import (
    Answered,
    Event,
    FoundFlaky,
    Improved,
    ListStarted,
    RolledBack,
    Started,
)
from nubbin.report.figures import counted
from nubbin.report.lines import doubtful_line, progress_line, query_line, sizes_in_words
from nubbin.report.progress import Progress
from nubbin.report.visible import printable

_STEP = 1.0  # seconds at least between two lines about steps
_SMALLER = 5.0  # seconds at least between two lines about improvements
_ALIVE = 30.0  # seconds after which a line appears even if nothing improves


class LogLines:
    """An observer that writes a line at the start and the first step, then now and then.

    At most one line a second for another step, one in five when the candidate became smaller,
    and one in thirty when nothing else was to be told. With `verbose` every query is a line, and
    so is every improvement.
    Reads `progress`, which must be told each event first.
    """

    def __init__(self, console: Console, progress: Progress, *, verbose: bool = False) -> None:
        self._console = console
        self._progress = progress
        self._verbose = verbose
        self._stepped = False
        self._last = 0.0  # when a line was last written, in seconds of the run

    def __call__(self, event: Event) -> None:
        """Write what `event` is worth."""
        match event:
            case Answered():
                if self._verbose:
                    self._console.print(query_line(event, self._progress.queries), soft_wrap=True)
                elif self._since() >= _ALIVE:
                    self._say(progress_line(self._progress))
            case Improved():
                if self._verbose or self._since() >= _SMALLER:
                    self._say(progress_line(self._progress))
            case ListStarted() if not self._stepped or self._since() >= _STEP:
                self._stepped = True
                elements = counted(event.elements, "element")
                self._say(f"{event.name}: {elements}; {progress_line(self._progress)}")
            case FoundFlaky():
                self._say(doubtful_line(event))
            case RolledBack():
                self._say(f"the best did not hold; back to {sizes_in_words(event.sizes)}")
            case Started():
                jobs = counted(event.jobs, "job")
                start = f"{sizes_in_words(event.sizes)}; {event.algorithm}, {jobs}"
                self._say(f"{printable(event.name)}: {start}")
            case _:
                pass

    def _since(self) -> float:
        return self._progress.seconds - self._last

    def _say(self, line: str) -> None:
        self._last = self._progress.seconds
        self._console.print(Text(f"nubbin: {line}"), soft_wrap=True)
