"""Everything that the panels of a view show of a recorded run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.widgets import Static

from nubbin.journal.other_bugs import OtherBug
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.tally import Tally
from nubbin.runs.estimate import Estimate
from nubbin.runs.recorded_run import RunFigures
from nubbin.runs.steps import Step

_MAX_SILENCE_S = 10.0  # of a running process, which writes a tally twice a second


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A recorded run at an instant, under way or ended.

    `state` is that of `nubbin.runs.recorded_run.RecordedRun`. `silence` is the number of seconds
    since the last tally. `seconds` and `queries` are those of the whole run so far, and
    `per_second` is the current rate of queries. `steps` begin with the original. `best` has the
    files of the last step by their paths, and `before` those of the step before. While `unread`
    steps are not yet unpacked, both are of earlier steps.
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
        """The name of the input."""
        return Path(self.facts.root, self.facts.name).name

    @property
    def is_paused(self) -> bool:
        """Whether the run is under way, but paused."""
        return self.is_under_way and self.tally is not None and self.tally.is_paused

    @property
    def is_silent(self) -> bool:
        """Whether the run is under way, but has been silent, for example after Ctrl-Z."""
        return self.is_under_way and self.silence > _MAX_SILENCE_S

    @property
    def is_under_way(self) -> bool:
        """Whether a process works on the run."""
        return self.state == "running"


class Panel(Static):
    """A part of the view: a text about a run, for the current size."""

    def show(self, snapshot: Snapshot) -> None:
        """Show the run."""
        raise NotImplementedError
