"""Collect the figures of a running reduction, in constant time per event."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nubbin.checks.case import Checking
from nubbin.documents.document import Sizes
from nubbin.journal import command_box
from nubbin.journal.command_box import SteeringCommand
from nubbin.passes.guard import PassFailed
from nubbin.reduction import events
from nubbin.reduction.events import Event
from nubbin.text.figures import share
from nubbin_core.search.problem import Answered, Count

_MAX_POINTS = 1000


@dataclass(frozen=True, slots=True)
class Point:
    """The size of the best candidate after some seconds and queries."""

    seconds: float
    queries: int
    sizes: Sizes


class Progress:
    """An observer that collects figures, which all other reports read.

    `clock` returns seconds. The time includes the check of the test, because it starts when this
    object is made. One thread may write while another reads.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begin = clock()
        self._end: float | None = None
        self.started: events.Started | None = None
        self.about_test: list[events.AboutTest | PassFailed] = []
        self.checking: Checking | None = None
        self.list: events.ListStarted | None = None
        self.is_paused = False
        self.is_interrupted = False  # by Ctrl-C, and the end takes a while
        self.sizes = Sizes(0, 0, 0)
        self.so_far = Count()
        self.test_seconds = 0.0
        self._points: list[Point] = []

    def __call__(self, event: Event) -> None:
        """Collect the figures of an event, in constant time."""
        match event:
            case Answered():
                self.so_far = event.so_far
                self.test_seconds += event.seconds
            case events.Improved() | events.RolledBack():
                self._resized(event.sizes)
            case events.ListStarted():
                self.list = event
            case events.Steered(command=SteeringCommand(name=command_box.PAUSE)):
                self.is_paused = True
            case events.Steered(command=SteeringCommand(name=command_box.GO_ON)):
                self.is_paused = False
            case events.AboutTest() | PassFailed():
                self.about_test.append(event)
            case Checking():
                self.checking = event
            case events.Started():
                self.started = event
                self._resized(event.sizes)
            case events.Finished():
                self._end = self._clock()
                if event.sizes != self.sizes:
                    self._resized(event.sizes)

    @property
    def seconds(self) -> float:
        """The time on the clock since the start, until the end of the reduction."""
        return (self._clock() if self._end is None else self._end) - self._begin

    @property
    def queries(self) -> int:
        """The number of queries so far."""
        return self.so_far.asked

    @property
    def before(self) -> Sizes:
        """The sizes at the start of the reduction."""
        return self.started.sizes if self.started else self.sizes

    @property
    def items(self) -> str:
        """What a list is a list of, with an item a line: "tests" or "commits"; "" for an input."""
        return self.started.items if self.started else ""

    @property
    def removed(self) -> str:
        """The percentage of bytes removed so far."""
        return share(self.before.bytes - self.sizes.bytes, self.before.bytes)

    @property
    def history(self) -> Sequence[Point]:
        """At most 1,000 sizes over time, evenly distributed, with the first and the latest."""
        points = self._points[:]  # another thread may add to them
        return points[: -1 : len(points) // _MAX_POINTS + 1] + points[-1:]

    def _resized(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self._points.append(Point(self.seconds, self.queries, sizes))
