"""Keep the journal of a reduction in SQLite, so that the reduction can be resumed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import msgspec

from nubbin.disk import Folder, followed
from nubbin.documents.deltas import delta
from nubbin.journal import command_box, mark, reading, schema
from nubbin.journal.reading import Last
from nubbin.journal.run_facts import DIFFERENT_FAILURES, FACTS, DifferentFailures, RunFacts, Tally
from nubbin.journal.run_folders import BEST, LOCK, OF_PASSES, OUTPUT, explaining, have_ignored, hold
from nubbin.journal.schema import Accepted, Ran
from nubbin.oracles.commands.command_line import nubbin_line
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Answer

#: The folder in a run with the release of a project; tools recognise packages by this name.
SITE = "site-packages"
#: All other names in the folder of a run, except the journal.
_PARTS = (
    LOCK,
    reading.LAST_ACCEPTED,
    BEST,
    DIFFERENT_FAILURES,
    command_box.NAME,
    OF_PASSES,
)


class Journal:
    """The record of a reduction: `journal.sqlite` in a folder of its own.

    The verdicts determine a reduction, whatever the number of workers. So with the verdicts of its
    journal, a reduction gets back to where it was without running the test. A note survives the end
    of this process at any instant, and an accepted candidate also survives a power failure.

    A context manager; may be used by several threads. `best` are the files of the last accepted
    candidate; `tally` is None in a new run.

    Raises OSError if the journal cannot be written, for example to a full disk. Raises NubbinError
    if there is no journal, if it is damaged or of another version, or if another process has the
    run; also if another user recorded the run, unless `trust` is set. A trusted run is the user's
    own from then on.
    """

    def __init__(self, folder: Path, *, trust: bool = False):
        self.folder = folder
        self.different_failures = DifferentFailures(folder / DIFFERENT_FAILURES)
        self._lock = threading.Lock()
        with self._writing(), ExitStack() as stack:
            place = schema.place_of(folder)
            ours = stack.enter_context(mark.opened(folder))
            stack.callback(os.close, hold(ours))
            self._store = stack.enter_context(closing(schema.opened_for_writing(ours)))
            with schema.bounded(self._store, place):
                schema.make(self._store)
                schema.check_tables(self._store, folder)
                if not trust:
                    mark.check_mark(folder, schema.told(self._store))
                self._read()
            self._last_accepted = ours.open(reading.LAST_ACCEPTED, os.O_WRONLY | os.O_CREAT)
            stack.callback(os.close, self._last_accepted)
            self._stack = stack.pop_all()

    def _read(self) -> None:
        """Read what a reduction needs to continue; raises Unreadable if a part of it is damaged."""
        self._told = schema.told(self._store)
        self._facts = RunFacts.from_json(self._told) if self._told else None
        self.tally = reading.tally(self._store)
        self.best, self._numbers = dict[str, bytes](), dict[bytes, int]()
        for row, files in reading.candidates(self._store, self.folder):
            self.best, self._numbers[row.key] = files, row.number

    @classmethod
    def create(cls, folder: Path) -> Journal:
        """Begin a journal in a folder that need not exist.

        Raises NubbinError if a run is recorded there already, or if files there would be lost, and
        OSError if the folder cannot be written.
        """
        with explaining(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with Folder(followed(folder)) as ours:
                there = _checked_names(ours)
                if there <= {OUTPUT, SITE}:
                    have_ignored(ours)
                if schema.FILE not in there:
                    os.close(ours.open(schema.FILE, os.O_RDWR | os.O_CREAT))
        return cls._begun(folder)

    @classmethod
    def check(cls, folder: Path) -> None:
        """Raise the errors of `create` if the folder exists and cannot be used; writes nothing."""
        is_journal = False
        with explaining(folder), suppress(FileNotFoundError), Folder(followed(folder)) as ours:
            is_journal = schema.FILE in _checked_names(ours)
        if is_journal:
            cls._begun(folder).close()

    @classmethod
    def _begun(cls, folder: Path) -> Journal:
        """Open a journal that has no candidate yet; raises NubbinError if it has one."""
        journal = cls(folder)
        if journal.best:
            journal.close()
            raise NubbinError(
                f"{folder} already contains a recorded run. Continue it: "
                f"{nubbin_line('resume', folder)}. Or name another folder for this one."
            )
        return journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal and release the lock; a second call does nothing."""
        self._stack.close()

    # -- facts about the run -----------------------------------------------------------------

    @property
    def facts(self) -> RunFacts:
        """The facts about the run; raises NubbinError before `tell` sets the first."""
        if self._facts is None:
            raise schema.never_began(self.folder)
        return self._facts

    def tell(self, *, options: Mapping[str, Any] = MappingProxyType({}), **facts: Any) -> None:
        """Set facts about the run, the first time all that `RunFacts` needs, and `options`.

        Raises TypeError for a fact that `RunFacts` does not have.
        """
        if wrong := facts.keys() - FACTS:
            raise TypeError(f"a run has no fact called {min(wrong)!r}")
        with self._writing():
            self._tell({**options, **facts})

    def _tell(self, values: Mapping[str, Any]) -> None:
        plain = msgspec.to_builtins(values, order="deterministic")
        self._told = mark.with_mark({**self._told, **plain})
        self._facts = RunFacts.from_json(self._told)
        schema.tell(self._store, self._told)

    def tell_tally(self, tally: Tally) -> None:
        """Replace the tally, for readers of the run; takes less than a millisecond."""
        with self._writing():
            schema.tell(self._store, tally, "tally")

    # -- verdicts ------------------------------------------------------------------------

    def note(self, key: bytes, answer: Answer, yes: int, runs: int) -> None:
        """Record an answer. The candidate was interesting in `yes` of `runs` runs so far.

        Takes less than 100 microseconds.
        """
        ended = (answer.verdict.value, float(answer.seconds), answer.exit_code)
        with self._writing():
            schema.write_row(self._store, "verdicts", key, *ended, int(answer.timed_out), yes, runs)

    def ran(self) -> dict[bytes, Ran]:
        """Return how each candidate ran, by its key; omits damaged rows."""
        with self._writing(), schema.bounded(self._store, schema.place_of(self.folder)):
            return schema.verdicts(self._store)

    def start_over(self, *, answers: bool) -> None:
        """Restart the reduction from its best; keep the verdicts if the `answers` are valid."""
        with self._writing(), self._store:
            self._store.execute("BEGIN")
            if not answers:
                self._store.execute("DELETE FROM verdicts")
            self._tell({"start": len(self._numbers), "commands": []})

    # -- accepted candidates -------------------------------------------------------------

    def accept(self, key: bytes, files: Mapping[str, bytes], queries: int, pass_name: str) -> bool:
        """Record durably a candidate that a pass found after so many queries.

        Returns False if it was recorded before. Takes two milliseconds, to wait for the disk.
        """
        with self._writing():
            if key in self._numbers:
                return False
            number = len(self._numbers) + 1
            size, packed = sum(map(len, files.values())), delta(files, self.best)
            row = Accepted(number, key, time.time(), queries, pass_name, size, packed)
            # Wait until the disk has this row and all verdicts before it.
            self._store.execute("PRAGMA synchronous=FULL")
            schema.write_row(self._store, "accepted", *row)
            self._store.execute("PRAGMA synchronous=NORMAL")
            self._numbers[key] = number
            self.best = dict(files)
            self._note_last(number, key)
            return True

    @property
    def first(self) -> bytes | None:
        """The key of the input; None until it is accepted."""
        return next(iter(self._numbers), None)

    def go_back(self, key: bytes, files: Mapping[str, bytes]) -> None:
        """Drop the candidates that were accepted after the one with this key and these files.

        That one must be recorded. Reads nothing, because Ctrl-C waits for this.
        """
        with self._writing():
            number = self._numbers[key]
            # The note comes first: it may be older than the database, but never newer.
            self._note_last(number, key)
            self._store.execute("DELETE FROM accepted WHERE number > ?", (number,))
            self._numbers = {each: at for each, at in self._numbers.items() if at <= number}
            self.best = dict(files)

    def _note_last(self, number: int, key: bytes) -> None:
        os.pwrite(self._last_accepted, Last(number, key).line, 0)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let in one thread at a time; raise OSError if the disk fails, NubbinError for damage."""
        with self._lock:
            try:
                yield
            except schema.FAULTS as fault:
                if schema.is_of_the_disk(fault):
                    text = f"the journal in {self.folder} cannot be written: {fault}"
                    raise OSError(text) from fault
                raise reading.unreadable(self.folder, fault) from fault


def _checked_names(folder: Folder) -> set[str]:
    """Return the names in the folder of a new run; raises NubbinError if a file would be lost."""
    there = folder.names()
    if schema.FILE not in there and (taken := sorted(there.intersection(_PARTS))):
        raise NubbinError(
            f"The run cannot be recorded in {folder.path}, where there is something called "
            f"{taken[0]} already. Name a folder that does not exist or is empty."
        )
    return there


def fork_run(
    run: Path,
    number: int | None,
    folder: Path,
    options: Mapping[str, Any],
    *,
    trust: bool = False,
    **facts: Any,
) -> None:
    """Copy a run into a new folder, to continue from an accepted candidate in another way.

    By default, that is the best candidate. The copy begins with it, and has these `options` and
    `facts` in place of the run's. Raises NubbinError if there is no such candidate, if the run is
    damaged, or if another user recorded it, unless `trust` is set; OSError if the copy cannot be
    written.
    """
    if not trust:
        mark.check_own(run)
    with reading.reading(run) as store:
        keys = {row.number: row.key for row in reading.accepted_candidates(store, run)}
        start = len(keys) if number is None else number
        if start not in keys:
            raise reading.no_candidate(run, number)
        Journal.create(folder).close()
        with Folder(followed(folder)) as ours, closing(schema.opened_for_writing(ours)) as copy:
            store.backup(copy)
    with Journal(folder, trust=trust) as journal:
        journal.go_back(keys[start], reading.candidate(folder, start))
        journal.tell(options=options, sessions=[], ended=None, **facts)
        journal.start_over(answers=True)
