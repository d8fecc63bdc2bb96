"""What a reduction leaves on disk while it goes on: its journal, the best as files, other bugs."""

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
from nubbin.journal.journal import Journal, NullJournal
from nubbin.journal.other_bugs import OTHER_BUGS, OtherBugs
from nubbin.journal.run_facts import Session, as_json
from nubbin.oracles.failures.conditions import Ended
from nubbin.passes.guard import PassFailed
from nubbin.reduction.events import (
    Disturbed,
    Event,
    Finished,
    FoundFlaky,
    Improved,
    ListStarted,
    OtherErrorsAllowed,
    RolledBack,
    Started,
)
from nubbin.reduction.job import Job
from nubbin.reduction.result.best import Best, OutputChanged
from nubbin_core.answer import Answer
from nubbin_core.search.budget import Budget
from nubbin_core.search.trials import Trials
from nubbin_core.search.verdict_cache import Answered
from nubbin_core.version import __version__

#: Between two times that a folder is written: seconds, and how many times the last one's.
_PAUSE_S, _MAX_PAUSES = 1.0, 10


class Recorder:
    """Persists a reduction: journal, best file, other bugs. An observer.

    It has to hear of a better document before the others, who are told that it is safe on disk.
    `other_bugs` is None if the reduction is not recorded. Raises OSError if something cannot be
    written.
    """

    def __init__(self, journal: Journal | NullJournal, job: Job, best: Best, budget: Budget):
        self.other_bugs = None if journal.folder is None else OtherBugs(journal.folder / OTHER_BUGS)
        self._journal = journal
        self._job = job
        self._best = best
        self._budget = budget
        self._pass = ""
        self._kept: Document | None = None  # the last of this session
        self._unwritten: Document | None = None  # the same, if it does not lie in its place yet
        self._due = 0.0

    def note(self, document: Document, answer: Answer, trials: Trials) -> None:
        """Note an answer, and all trials of the document by now; may be called by any thread."""
        if answer.other_error and self._journal.best == self._job.original.contents:
            return  # the first of these decide whether they count: a resumed run asks them again
        self._journal.note(document.key, answer, *trials)
        if answer.different and self.other_bugs is not None:
            self.other_bugs.keep(document.contents, Ended.of(answer))

    def keep(self, document: Document) -> None:
        """Keep a document that is the best so far.

        If that is interrupted, the one before stays: it lies there already, and a large folder
        takes seconds to write. The journal still has the answer, so that nothing is asked again. A
        resumed run that takes another way than the one that is recorded keeps what is smaller.
        """
        if self._kept is None and self._recorded(document, most=document.extent - 1) is not None:
            return
        # If the journal has it, it was kept then, and better ones after it.
        if self._journal.accept(document.key, document.contents, self._budget.queries, self._pass):
            try:
                self._unwritten = document
                self._write_if_due()
            except KeyboardInterrupt:
                self._unwritten = None
                if self._kept is not None:
                    self._journal.go_back(self._kept.key, self._kept.contents)
                raise
            self._kept = document

    def _write_if_due(self) -> None:
        """Write the best that is not in its place yet: a file at once, a folder once a second.

        A folder waits ten times as long as the last one took. A killed run loses nothing by that,
        because the journal has it; without a journal, a folder is written at once, too.
        """
        late = self._unwritten
        can_wait = late and not late.packed.is_single and self._journal.folder is not None
        if late is not None and not (can_wait and time.monotonic() < self._due):
            self._write(late)

    def _write(self, document: Document) -> None:
        begun = time.monotonic()
        with self._saving(document):
            self._best.write(document)
        self._unwritten = None
        ended = time.monotonic()
        self._due = ended + max(_PAUSE_S, _MAX_PAUSES * (ended - begun))

    def _go_back(self, document: Document) -> None:
        """Drop all that was kept after a document."""
        self._journal.accept(document.key, document.contents, self._budget.queries, self._pass)
        self._write(document)
        self._kept = document
        # Last: if it is killed in between, the journal must know both.
        self._journal.go_back(document.key, document.contents)

    def best(self, document: Document) -> Document:
        """Return a document that a run came to, or the best that was kept if that is smaller.

        It is, if a resumed run ends before it has repeated all that is recorded, or if one is
        interrupted while the observers are told. One as small came later, and is obfuscated.
        """
        if self._kept is not None and self._kept.extent <= document.extent:
            document = self._kept
        return self._recorded(document, most=document.extent) or document

    def _recorded(self, document: Document, most: int) -> Document | None:
        """Return the best that is recorded; None if it is the document, or its extent more."""
        files = self._journal.best
        if files == document.contents or not files:
            return None
        recorded = self._job.document(files).unpacked(self._job.depth)
        return recorded if recorded.extent <= most else None

    def leave(self, document: Document, *, copied: bool) -> None:
        """Leave the result in its place, and if `copied` one more in the folder of the run.

        The copy is written only now: each would cost as much as the result.
        """
        if copied and self._journal.folder is not None:
            self._copy(document, self._kept_place(self._journal.folder))
        with self._saving(document):
            self._best.confirm(document)

    @contextmanager
    def _saving(self, document: Document) -> Iterator[None]:
        """If another process has written to the place of the result, keep the result elsewhere.

        Raises OutputChanged then, which says where, and how to go on.
        """
        try:
            yield
        except OutputChanged as changed:
            run = self._journal.folder
            if run is None:
                place = _free(self._job.target)
                self._copy(document, place)
                raise OutputChanged(f"{changed} The best so far is in {place}.") from changed
            self._journal.tell(ended="target-changed")
            place = self._kept_place(run)
            self._copy(document, place)
            raise OutputChanged(
                f"{changed} The best so far is in {place}. Move {self._job.target} away, and "
                f"continue with: nubbin resume {run}"
            ) from changed

    def _kept_place(self, run: Path) -> Path:
        """Return the place of a result in the folder of its run."""
        Folder.made(run / "best").close()
        return run / "best" / self._job.target.name

    def _copy(self, document: Document, place: Path) -> None:
        with Best(self._job.root, place) as copy:
            copy.write(document)

    def __call__(self, event: Event) -> None:
        """Note the course of the reduction."""
        match event:
            case Started():
                if self._journal.facts is not None:
                    before = self._journal.tally.seconds if self._journal.tally else 0.0
                    sessions = as_json([*self._journal.facts.sessions, _session(before)])
                    self._journal.tell(sessions=sessions, ended=None, minimal=False)
            case ListStarted(name=name):
                self._pass = name
            case Answered():
                self._write_if_due()
            case PassFailed(traceback=traceback):
                if self._journal.facts is not None and traceback:
                    failures = [*self._journal.facts.failures, traceback]
                    self._journal.tell(failures=failures)
            case Improved(document):
                self.keep(document)
            case RolledBack(document):
                self._go_back(document)
            case Disturbed(trials=trials):
                self._journal.start_over(answers=False)
                self._journal.tell(one_job=True, original=list(trials))
            case OtherErrorsAllowed():
                test = self._job.test.with_other_errors
                self._journal.tell(test=test.to_json(), test_digest=test.digest())
            case FoundFlaky(trials=trials):
                self._journal.tell(flaky=True, original=list(trials))
            case Finished(reason=reason, minimal=minimal):
                self._journal.tell(ended=reason, minimal=minimal)


def _free(place: Path) -> Path:
    """Return a free path beside a path, of a similar name."""
    names = (place.with_name(f"{place.stem}.{number}{place.suffix}") for number in count(1))
    return next(each for each in names if not os.path.lexists(each))


def _session(seconds: float) -> Session:
    """Return when this part of the reduction began, after N seconds of work, in which versions."""
    kernel, _, release, _, machine = os.uname()  # `platform` would start a process
    python, system = sys.version.split()[0], f"{kernel}-{release}-{machine}"
    return Session(time.time(), seconds, __version__, python, system)
