"""Journal: a run's verdicts and accepted candidates in SQLite, so that it can go on."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from nubbin.documents.deltas import delta
from nubbin.journal import tables
from nubbin.journal.lock import hold
from nubbin.oracles.errors import WrongTest
from nubbin.oracles.oracle import Answer
from nubbin.oracles.verdict import Verdict


class Journal:
    """The record of one run, in a folder of its own that holds `journal.sqlite`.

    A reduction is determined by its verdicts, whatever the number of workers: with those of a
    journal it comes, without a query, to where it was. What was noted survives the end of this
    process at any instant; an accepted candidate also the end of the power. A context manager;
    may be used by several threads. Raises OSError where it cannot be written, as on a full disk,
    and WrongTest where there is no journal, or one of another version, or another process has
    the run.
    """

    def __init__(self, folder: Path):
        tables.place_of(folder)
        self.folder = folder
        self._lock = threading.Lock()
        self._held = hold(folder)
        try:
            with self._writing():
                self._store = _opened(folder)
                self._last = self._newest()
        except (OSError, WrongTest):
            os.close(self._held)
            raise

    @classmethod
    def create(cls, folder: Path) -> Journal:
        """Begin a journal in a folder that need not exist; raises OSError where it cannot be.

        Raises WrongTest where a run is recorded there already.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".gitignore").write_text("*\n")
            (folder / tables.FILE).touch()
        except OSError as error:
            raise OSError(f"the run cannot be recorded in {folder}: {error}") from error
        journal = cls(folder)
        if journal.best:
            journal.close()
            raise WrongTest(
                f"There is a recorded run in {folder} already. Go on with it, by nubbin resume "
                f"{folder}, or name another folder for this one."
            )
        return journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the record and let go of the run; once is enough."""
        self._store.close()
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    # -- what the run is -----------------------------------------------------------------

    def tell(self, **about: Any) -> None:
        """Note facts about the run, as JSON."""
        rows = [(name, json.dumps(value)) for name, value in about.items()]
        with self._writing():
            self._store.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    @property
    def about(self) -> dict[str, Any]:
        """What was told of the run."""
        return tables.about(self._store)

    # -- verdicts ------------------------------------------------------------------------

    def note(self, key: bytes, answer: Answer, yes: int, runs: int) -> None:
        """Note an answer about a candidate, interesting in `yes` of `runs` runs by now.

        Well under 100 microseconds.
        """
        verdict, exit_code = answer.verdict.value, answer.exit_code
        row = (key, verdict, answer.seconds, exit_code, answer.timed_out, yes, runs)
        with self._writing():
            self._store.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def verdicts(self, timeout: float | None = None) -> Iterator[tuple[bytes, Verdict, float]]:
        """Yield key, verdict and seconds of every query.

        Those whose time was over sooner than `timeout` seconds are left out: with more time they
        may say more.
        """
        rows = self._store.execute("SELECT key, verdict, seconds, timed_out FROM verdicts")
        for key, verdict, seconds, timed_out in rows.fetchall():
            if not (timed_out and timeout is not None and seconds < timeout):
                yield key, Verdict(verdict), seconds

    def evidence(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield key, number of interesting runs and number of all runs of every candidate."""
        rows = self._store.execute("SELECT key, yes, runs FROM verdicts")
        yield from rows.fetchall()

    def start_over(self, *, answers: bool) -> None:
        """Have the run begin anew with its best; drop all verdicts, unless `answers` are good."""
        with self._writing(), self._store:
            self._store.execute("BEGIN")
            if not answers:
                self._store.execute("DELETE FROM verdicts")
            row = ("start", json.dumps(self._last[0]))
            self._store.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", row)

    # -- accepted candidates -------------------------------------------------------------

    def accept(self, key: bytes, files: Mapping[str, bytes], queries: int, step: str) -> bool:
        """Record a candidate for good that a pass found after so many queries.

        Returns False if it was recorded before. Two milliseconds: the disk is waited for.
        """
        with self._writing():
            known = self._store.execute("SELECT 1 FROM accepted WHERE key = ?", (key,)).fetchone()
            if known:
                return False
            number, base = self._last
            size = sum(map(len, files.values()))
            row = (number + 1, key, time.time(), queries, step, size, delta(files, base))
            # For this one write, wait until the disk has it, and all verdicts before it.
            self._store.execute("PRAGMA synchronous=FULL")
            self._store.execute("INSERT INTO accepted VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            self._store.execute("PRAGMA synchronous=NORMAL")
            self._last = number + 1, dict(files)
            return True

    def go_back(self, key: bytes) -> None:
        """Drop the accepted candidates after the one with this key; it must be there."""
        with self._writing(), self._store:
            self._store.execute("BEGIN")
            self._store.execute(
                "DELETE FROM accepted WHERE number > (SELECT number FROM accepted WHERE key = ?)",
                (key,),
            )
        self._last = self._newest()

    @property
    def best(self) -> dict[str, bytes]:
        """The files of the last accepted candidate."""
        return self._last[1]

    @property
    def original(self) -> dict[str, bytes]:
        """The files that the run began with, or began anew with; empty before there are any."""
        start = self.about.get("start", 1)
        found = (files for number, files in tables.candidates(self._store) if number == start)
        return next(found, {})

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One thread at a time; raise OSError for what SQLite says of the disk."""
        with self._lock:
            try:
                yield
            except sqlite3.OperationalError as error:
                raise OSError(f"the journal in {self.folder} cannot be written: {error}") from error
            except sqlite3.DatabaseError as error:
                raise WrongTest(f"The journal in {self.folder} cannot be read: {error}.") from error

    def _newest(self) -> tuple[int, dict[str, bytes]]:
        newest = deque(tables.candidates(self._store), maxlen=1)
        return newest[0] if newest else (0, {})


def _opened(folder: Path) -> sqlite3.Connection:
    store = sqlite3.connect(folder / tables.FILE, isolation_level=None, check_same_thread=False)
    try:
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("PRAGMA synchronous=NORMAL")
        tables.make(store)
        tables.check(store, folder)
    except BaseException:
        store.close()
        raise
    return store
