"""What a run leaves behind while it goes on: its journal, the best as files, other failures."""

from __future__ import annotations

import platform
import time
from importlib.metadata import version
from typing import Any

from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.journal.others import Others
from nubbin.journal.unrecorded import Unrecorded
from nubbin.oracles.oracle import Answer
from nubbin.reduction.best import Best
from nubbin.reduction.events import Doubtful, Event, Finished, Started, StepStarted
from nubbin.reduction.job import Job
from nubbin.search.budget import Budget
from nubbin.search.evidence import Evidence


class Recorder:
    """Hears of a run what is to last, and sees to it; also an observer.

    `others` are the failures of other kinds, None in a run that is not recorded. May be told by
    several threads. Raises OSError where something cannot be written.
    """

    def __init__(self, journal: Journal | Unrecorded, job: Job, budget: Budget):
        self.others = None if journal.folder is None else Others(journal.folder / "other")
        self._journal = journal
        self._job = job
        self._best = Best(job.root, job.target)
        self._budget = budget
        self._step = ""

    def note(self, document: Document, answer: Answer, evidence: Evidence) -> None:
        """Note an answer, and all evidence there is by now."""
        self._journal.note(document.key, answer, *evidence)
        if answer.different and self.others is not None:
            self.others.keep(document.contents, answer.output)

    def keep(self, document: Document) -> None:
        """Keep a document that is the best so far."""
        # What the journal has was kept then, and more after it.
        if self._journal.accept(document.key, document.contents, self._budget.spent, self._step):
            self._best.write(document)

    def go_back(self, document: Document) -> None:
        """Give up all that was kept after a document."""
        self._journal.go_back(document.key)
        self._best.write(document)

    def leave(self, document: Document) -> None:
        """Leave a copy of the result in the run's folder, where no other run writes over it.

        Not on the way: it would cost as much as the result itself, and the journal has it.
        """
        if self._journal.folder is not None:
            place = self._journal.folder / "best" / self._job.target.name
            place.parent.mkdir(exist_ok=True)
            Best(self._job.root, place).write(document)

    def __call__(self, event: Event) -> None:
        """Take down the course of the run."""
        match event:
            case Started():
                sessions = [*self._journal.about.get("sessions", ()), _session()]
                self._journal.tell(sessions=sessions, ended=None)
            case StepStarted(step=step):
                self._step = step
            case Doubtful(evidence=evidence):
                self._journal.tell(flaky=True, original=list(evidence))
            case Finished(reason=reason):
                self._journal.tell(ended=reason)


def _session() -> dict[str, Any]:
    """Return when, and by what, a part of the run is made."""
    return {
        "begun": time.time(),
        "nubbin": version("nubbin"),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
