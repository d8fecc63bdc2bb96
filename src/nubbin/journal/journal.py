"""The journal of a reduction, in SQLite, so that it can resume; and one that keeps nothing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Self

from nubbin.disk import Folder, NotOurs, followed
from nubbin.documents.deltas import delta
from nubbin.journal import command_box, mark, reading, schema
from nubbin.journal.last_accepted import Last, LastAcceptedFile
from nubbin.journal.lock import hold
from nubbin.journal.other_bugs import OTHER_BUGS
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.run_folders import have_ignored
from nubbin.journal.tally import Tally
from nubbin_core.answer import Answer
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict

#: The name in the folder of a run of the folder for a result that has no place of its own.
OUTPUT = "output"
#: The folder in a run that holds the release of a project; the name says that packages are in it.
SITE = "site-packages"
#: The other names in the folder of a run, besides the journal.
_PARTS = ("lock", "accepted", "best", OTHER_BUGS, command_box.NAME)


class Journal:
    """The record of a reduction, in a folder of its own that holds `journal.sqlite`.

    A reduction is determined by its verdicts, whatever the number of workers: with those of its
    journal it gets to where it was without running the test. A note survives the end of this
    process at any instant, an accepted candidate also a power failure. A context manager; may be
    used by several threads. Raises OSError if it cannot be written, as on a full disk, and
    NubbinError if there is no journal, if it is damaged or of another version, if another process
    has the run, or if the user did not record it, unless that does not matter (`trust`): from then
    on it is the user's. `facts` is None until they are told.
    """

    def __init__(self, folder: Path, *, trust: bool = False):
        self.folder = folder
        self._lock = threading.Lock()
        with self._writing(), ExitStack() as stack:
            place = schema.place_of(folder)
            ours = stack.enter_context(mark.opened(folder))
            stack.callback(os.close, hold(ours))
            self._store = stack.enter_context(closing(schema.opened_for_writing(ours)))
            with schema.bounded(self._store, place):
                schema.make(self._store)
                schema.check(self._store, folder)
                if not trust:
                    mark.check_mark(folder, schema.told(self._store))
                self._read()
            self._last_accepted = stack.enter_context(closing(LastAcceptedFile(ours)))
            self._stack = stack.pop_all()

    def _read(self) -> None:
        """Read what a reduction needs of its past; raises Unreadable if any of it is damaged."""
        self._told = schema.told(self._store)
        self.facts = RunFacts.from_json(self._told) if self._told else None
        self.tally = schema.tally(self._store)
        self.original, self.best = dict[str, bytes](), dict[str, bytes]()
        self._numbers = dict[bytes, int]()
        for row, files in reading.candidates(self._store, self.folder):
            self._numbers[row.key] = row.number
            self.best = files
            if row.number == self._start:
                self.original = files

    @property
    def _start(self) -> int:
        """The number of the candidate that the reduction begins with."""
        return 1 if self.facts is None else self.facts.first

    @classmethod
    def create(cls, folder: Path) -> Journal:
        """Begin a journal in a folder that need not exist; raises OSError if it cannot be.

        Raises NubbinError if a run is recorded there already, or if files there would be lost.
        """
        with _creating(folder):
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
        """Raise as `create` does if the folder is there and cannot be used; makes nothing."""
        is_journal = False
        with _creating(folder), suppress(FileNotFoundError), Folder(followed(folder)) as ours:
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
                f"There is a recorded run in {folder} already. Go on with it, by nubbin resume "
                f"{folder}, or name another folder for this one."
            )
        return journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the record and release the lock; once is enough."""
        self._stack.close()

    # -- facts about the run -----------------------------------------------------------------

    def tell(self, **facts: Any) -> None:
        """Note facts about the run, as JSON; the first time all that `RunFacts` must have."""
        with self._writing():
            self._tell(facts)

    def _tell(self, facts: Mapping[str, Any]) -> None:
        self._told = mark.marked({**self._told, **facts})
        self.facts = RunFacts.from_json(self._told)
        schema.tell(self._store, self._told)

    def tell_tally(self, tally: Tally) -> None:
        """Replace the tally of the run, for its readers; under a millisecond."""
        with self._writing():
            schema.tell_tally(self._store, tally)

    # -- verdicts ------------------------------------------------------------------------

    def note(self, key: bytes, answer: Answer, yes: int, runs: int) -> None:
        """Note an answer about a candidate, interesting in `yes` of `runs` runs by now.

        Well under 100 microseconds.
        """
        row = schema.sealed(
            "verdicts",
            key,
            answer.verdict.value,
            float(answer.seconds),
            answer.exit_code,
            int(answer.timed_out),
            yes,
            runs,
        )
        with self._writing():
            self._store.execute(
                "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row
            )

    def verdicts(self, timeout: float | None = None) -> Iterator[tuple[bytes, Verdict, float]]:
        """Yield the key, the verdict and the seconds of every candidate that was run.

        Verdicts of runs that were stopped after less than `timeout` seconds are left out: with more
        time the test may answer.
        """
        for key, verdict, seconds, _, timed_out, _, _ in self._verdicts():
            if not (timed_out and timeout is not None and seconds < timeout):
                yield key, Verdict(verdict), seconds

    def trials(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield key, number of interesting runs and number of all runs of every candidate."""
        for key, *_, yes, runs in self._verdicts():
            yield key, yes, runs

    def _verdicts(self) -> Iterator[tuple[Any, ...]]:
        place = schema.place_of(self.folder)
        with self._writing(), schema.bounded(self._store, place):
            rows = {row[0]: row for row in schema.verdicts(self._store)}
        return iter(rows.values())

    def start_over(self, *, answers: bool) -> None:
        """Make the reduction begin again with its best; keep its verdicts if `answers` are good."""
        with self._writing(), self._store:
            self._store.execute("BEGIN")
            if not answers:
                self._store.execute("DELETE FROM verdicts")
            self._tell({"start": len(self._numbers), "commands": []})
        self.original = self.best

    # -- accepted candidates -------------------------------------------------------------

    def accept(self, key: bytes, files: Mapping[str, bytes], queries: int, pass_name: str) -> bool:
        """Record for good a candidate that a pass found after N queries.

        Returns False if it was recorded before. Takes two milliseconds, to wait for the disk.
        """
        with self._writing():
            if key in self._numbers:
                return False
            number = len(self._numbers) + 1
            size, packed = sum(map(len, files.values())), delta(files, self.best)
            row = schema.sealed(
                "accepted", number, key, time.time(), queries, pass_name, size, packed
            )
            # For this one write, wait until the disk has it, and all verdicts before it.
            self._store.execute("PRAGMA synchronous=FULL")
            self._store.execute("INSERT INTO accepted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._store.execute("PRAGMA synchronous=NORMAL")
            self._numbers[key] = number
            self.best = dict(files)
            if number == self._start:
                self.original = self.best
            self._last_accepted.note(Last(number, key))
            return True

    @property
    def first(self) -> bytes | None:
        """The key of the input; None before it was accepted."""
        return next(iter(self._numbers), None)

    def go_back(self, key: bytes, files: Mapping[str, bytes]) -> None:
        """Drop the accepted candidates after the one with this key and these files.

        It must be there. Nothing is read: who interrupts a run waits for this.
        """
        with self._writing():
            number = self._numbers[key]
            # First the note, which may lag behind the database but must not be ahead.
            self._last_accepted.note(Last(number, key))
            self._store.execute("DELETE FROM accepted WHERE number > ?", (number,))
            self._numbers = {each: at for each, at in self._numbers.items() if at <= number}
            self.best = dict(files)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One thread at a time; raise OSError for a disk that fails, NubbinError for damage."""
        with self._lock:
            try:
                yield
            except schema.FAULTS as fault:
                if schema.is_of_the_disk(fault):
                    text = f"the journal in {self.folder} cannot be written: {fault}"
                    raise OSError(text) from fault
                raise reading.unreadable(self.folder, fault) from fault


def _checked_names(folder: Folder) -> set[str]:
    """Return the names in the folder of a new run; raises NubbinError if one would be lost."""
    there = folder.names()
    if schema.FILE not in there and (taken := sorted(there.intersection(_PARTS))):
        raise NubbinError(
            f"The run cannot be recorded in {folder.path}, where there is something called "
            f"{taken[0]} already. Name a folder that does not exist or is empty."
        )
    return there


@contextmanager
def _creating(folder: Path) -> Iterator[None]:
    """Say which run cannot be recorded, and what to do."""
    try:
        yield
    except NotOurs as error:
        raise NotOurs(f"The run cannot be recorded: {error} Name another folder for it.") from error
    except OSError as error:
        raise OSError(f"the run cannot be recorded in {folder}: {error}") from error


class NullJournal:
    """Has the methods of `nubbin.journal.journal.Journal`, and keeps nothing."""

    folder = None
    facts = None
    tally = None
    best: ClassVar[dict[str, bytes]] = {}

    def tell(self, **facts: Any) -> None:
        """Forget facts about the run."""

    def tell_tally(self, tally: Tally) -> None:
        """Forget a tally."""

    def note(self, key: bytes, answer: Answer, yes: int, runs: int) -> None:
        """Forget an answer."""

    def verdicts(self, timeout: float | None = None) -> Iterator[tuple[bytes, Verdict, float]]:
        """Yield nothing."""
        return iter(())

    def trials(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield nothing."""
        return iter(())

    def accept(self, key: bytes, files: Mapping[str, bytes], queries: int, pass_name: str) -> bool:
        """Return that a candidate is new."""
        return True

    def go_back(self, key: bytes, files: Mapping[str, bytes]) -> None:
        """Do nothing."""

    def start_over(self, *, answers: bool) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
