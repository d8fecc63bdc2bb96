"""Write the best candidate and the journal of a running reduction to disk."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from nubbin.disk import Folder
from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.journal.run_facts import Session
from nubbin.journal.run_folders import BEST
from nubbin.oracles.commands.command_line import nubbin_line
from nubbin.oracles.failures.conditions import Ended
from nubbin.passes.guard import PassFailed
from nubbin.reduction import events
from nubbin.reduction.events import Event
from nubbin.reduction.job import Job
from nubbin.reduction.result.place import OutputChanged, ResultPlace
from nubbin_core.search.budget import Budget
from nubbin_core.search.problem import Answered
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Answer
from nubbin_core.version import __version__

#: The time between two writes of a folder: seconds, and a multiple of the time of the last write.
_PAUSE_S, _MAX_PAUSES = 1.0, 10


class Recorder:
    """Writes the best candidate and, if there is one, the journal. An observer.

    It must be the first observer: an event `Improved` tells the others that the candidate is safe
    on disk. Raises OSError if something cannot be written.
    """

    def __init__(self, journal: Journal | None, job: Job, place: ResultPlace, budget: Budget):
        self._journal = journal
        self._job = job
        self._place = place
        self._budget = budget
        self._pass = ""
        self._kept: Document | None = None  # the last of this session
        self._unwritten: Document | None = None  # the same, until it is written to its place
        self._due = 0.0

    def note(self, document: Document, answer: Answer, trials: Trials) -> None:
        """Record an answer, and all trials of the document so far; may be called by any thread."""
        journal = self._journal
        if journal is None or (answer.other_error and journal.best == self._job.original.contents):
            return  # the first other errors decide whether they count: a resumed run repeats them
        journal.note(document.key, answer, *trials)
        if answer.different:
            journal.different_failures.keep(document.contents, Ended.of(answer))

    def keep(self, document: Document) -> None:
        """Keep a document that is the best so far.

        If this is interrupted, the document before remains the result, because a large folder
        takes seconds to write. The journal still has the answer, so no query is repeated. If a
        resumed run accepts other candidates than the recorded ones, the smaller result is kept.
        """
        if self._kept is None and self._recorded(document, most=document.extent - 1) is not None:
            return
        if not self._accept(document):
            return  # a resumed run repeats it: the journal has it, and the later ones
        try:
            self._unwritten = document
            self._write_if_due()
        except KeyboardInterrupt:
            self._unwritten = None
            if self._kept is not None:
                self._drop_after(self._kept)
            raise
        self._kept = document

    def _accept(self, document: Document) -> bool:
        """Record an accepted document; return whether it is new."""
        journal, queries = self._journal, self._budget.queries
        return journal is None or journal.accept(
            document.key, document.contents, queries, self._pass
        )

    def _drop_after(self, document: Document) -> None:
        if self._journal is not None:
            self._journal.go_back(document.key, document.contents)

    def _write_if_due(self) -> None:
        """Write the best if it is not in its place yet: a file at once, a folder once a second.

        After a slow write, a folder waits ten times as long as that took. A killed run loses
        nothing by that, because the journal has the folder; without a journal, no write waits.
        """
        late = self._unwritten
        can_wait = late and not late.packed.is_single and self._journal is not None
        if late is not None and not (can_wait and time.monotonic() < self._due):
            self._write(late)

    def _write(self, document: Document) -> None:
        begun = time.monotonic()
        with self._saving(document):
            self._place.write(document)
        self._unwritten = None
        ended = time.monotonic()
        self._due = ended + max(_PAUSE_S, _MAX_PAUSES * (ended - begun))

    def _go_back(self, document: Document) -> None:
        """Drop the documents that were kept after this one."""
        self._accept(document)
        self._write(document)
        self._kept = document
        # Last: if the process is killed before, the journal must have both.
        self._drop_after(document)

    def best(self, document: Document) -> Document:
        """Return the last document of a run, or the best that was kept if that is smaller.

        It is smaller if a resumed run ends before it has repeated all that is recorded, or if a run
        is interrupted while the observers are told. A kept document of equal size is newer: it has
        been obfuscated.
        """
        if self._kept is not None and self._kept.extent <= document.extent:
            document = self._kept
        return self._recorded(document, most=document.extent) or document

    def _recorded(self, document: Document, most: int) -> Document | None:
        """Return the recorded best; None if it is this document, or its extent is over `most`."""
        files = self._journal.best if self._journal is not None else None
        if files == document.contents or not files:
            return None
        recorded = self._job.document(files).unpacked(self._job.depth)
        return recorded if recorded.extent <= most else None

    def leave(self, document: Document, *, copied: bool) -> None:
        """Leave the result in its place and, if `copied`, also in the folder of the run."""
        if copied and self._journal is not None:
            self._copy(document, self._kept_place(self._journal.folder))
        with self._saving(document):
            self._place.confirm(document)

    @contextmanager
    def _saving(self, document: Document) -> Iterator[None]:
        """If another process has written to the place of the result, keep the result elsewhere.

        Raises OutputChanged then, which says where, and how to continue.
        """
        try:
            yield
        except OutputChanged as changed:
            target, journal = self._job.target, self._journal
            if journal is None:
                place, advice = _free(target), ""
            else:
                journal.tell(ended="target-changed")
                place = self._kept_place(journal.folder)
                again = nubbin_line("resume", journal.folder)
                advice = f" Move {target} away, and continue with: {again}"
            self._copy(document, place)
            raise OutputChanged(f"{changed} The best so far is in {place}.{advice}") from changed

    def _kept_place(self, run: Path) -> Path:
        Folder.made(run / BEST).close()
        return run / BEST / self._job.target.name

    def _copy(self, document: Document, place: Path) -> None:
        with ResultPlace(self._job.root, place) as copy:
            copy.write(document)

    def __call__(self, event: Event) -> None:
        """Write what an event changes."""
        match event:
            case events.ListStarted(name=name):
                self._pass = name
            case Answered():
                self._write_if_due()
            case events.Improved(document):
                self.keep(document)
            case events.RolledBack(document):
                self._go_back(document)
        if self._journal is not None:
            self._tell(self._journal, event)

    def _tell(self, journal: Journal, event: Event) -> None:
        match event:
            case events.Started():
                before = journal.tally.seconds if journal.tally else 0.0
                sessions = [*journal.facts.sessions, _session(before)]
                journal.tell(sessions=sessions, ended=None, minimal=False)
            case PassFailed(traceback=traceback) if traceback:
                journal.tell(failures=[*journal.facts.failures, traceback])
            case events.Disturbed(trials=trials):
                journal.start_over(answers=False)
                journal.tell(one_job=True, original=trials)
            case events.OtherErrorsAllowed():
                test = self._job.test.with_other_errors
                journal.tell(test=test.to_json(), test_digest=test.digest())
            case events.FoundFlaky(trials=trials):
                journal.tell(flaky=True, original=trials)
            case events.Finished(reason=reason, minimal=minimal):
                journal.tell(ended=reason, minimal=minimal)


def _free(place: Path) -> Path:
    names = (place.with_name(f"{place.stem}.{number}{place.suffix}") for number in count(1))
    return next(each for each in names if not os.path.lexists(each))


def _session(seconds: float) -> Session:
    kernel, _, release, _, machine = os.uname()  # `platform` would start a process
    python, system = sys.version.split()[0], f"{kernel}-{release}-{machine}"
    return Session(time.time(), seconds, __version__, python, system)
