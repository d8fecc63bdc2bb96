"""A recorded run as it is at an instant: all that a view shows, panel by panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.widgets import Static

from nubbin.journal.other_bugs import OtherBug
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.tally import Tally
from nubbin.runs.estimate import Estimate
from nubbin.runs.run_figures import RunFigures
from nubbin.runs.steps import Step

_MAX_SILENCE_S = 10.0  # of a process at work, which writes a tally twice a second


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A recorded run, under way or ended.

    `state` is as in `nubbin.runs.recorded_run.RecordedRun`. `silence` are the
    seconds since something new was read of it. `seconds` and `queries` are those of the whole run
    so far, `per_second` is the present rate of queries. `steps` begin with the original; `best`
    are the files of the last, by path, `before` those of the one before it; or, as long as
    `unread` steps are still to be unpacked, those of an earlier one.
    """

    folder: Path
    state: str
    silence: float
    facts: RunFacts
    algorithm: str
    looking_for: str
    seconds: float
    queries: int
    per_second: float
    steps: Sequence[Step]
    before: Mapping[str, bytes]
    best: Mapping[str, bytes]
    unread: int
    tally: Tally | None
    runs: RunFigures
    bugs: Sequence[OtherBug]
    estimate: Estimate | None

    @property
    def name(self) -> str:
        """The input, as a person calls it."""
        return Path(self.facts.root, self.facts.name).name

    @property
    def is_paused(self) -> bool:
        """Whether it is under way, but asks nothing for the moment."""
        return self.is_under_way and self.tally is not None and self.tally.is_paused

    @property
    def is_silent(self) -> bool:
        """Whether it is under way, but writes nothing: stopped by Ctrl-Z, say, or not begun yet."""
        return self.is_under_way and self.silence > _MAX_SILENCE_S

    @property
    def is_under_way(self) -> bool:
        """Whether a process works on it."""
        return self.state == "running"


class Panel(Static):
    """A text made of a snapshot of the run, for the present size."""

    def show(self, snapshot: Snapshot) -> None:
        """Show the run."""
        raise NotImplementedError
