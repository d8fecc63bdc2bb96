"""Journal: a run's verdicts and accepted candidates in SQLite, so that it can go on."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from nubbin.documents.deltas import applied, delta
from nubbin.journal.lock import hold
from nubbin.oracles.errors import WrongTest
from nubbin.oracles.oracle import Answer
from nubbin.oracles.verdict import Verdict

_SCHEMA = 3
_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE verdicts (
    key BLOB PRIMARY KEY, verdict TEXT NOT NULL, seconds REAL NOT NULL, exit_code INTEGER,
    timed_out INTEGER NOT NULL, yes INTEGER NOT NULL, runs INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE accepted (
    number INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, at REAL NOT NULL, bytes INTEGER NOT NULL,
    delta BLOB NOT NULL
);
"""


class Journal:
    """The record of one run, in a folder of its own that holds `journal.sqlite`.

    A reduction is determined by its verdicts, whatever the number of workers: with those of a
    journal it comes, without a query, to where it was. What was noted survives the end of this
    process at any instant; an accepted candidate also the end of the power. A context manager;
    may be used by several threads. Writing raises OSError on a full disk. Raises WrongTest where
    another process has the run, or what is there is no journal.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._lock = threading.Lock()
        self._held = hold(folder)
        try:
            self._store = sqlite3.connect(
                folder / "journal.sqlite", isolation_level=None, check_same_thread=False
            )
            self._store.execute("PRAGMA journal_mode=WAL")
            self._store.execute("PRAGMA synchronous=NORMAL")
            if not self._store.execute("SELECT name FROM sqlite_master").fetchone():
                self._store.executescript(f"BEGIN; {_TABLES} COMMIT;")
                self.tell(schema=_SCHEMA)
            if self.about.get("schema") != _SCHEMA:
                raise sqlite3.DatabaseError("another version of nubbin wrote it")
            self._last = self._newest()
        except sqlite3.DatabaseError as error:
            os.close(self._held)
            raise WrongTest(f"The journal in {folder} cannot be read: {error}.") from error

    @classmethod
    def create(cls, folder: Path) -> Journal:
        """Begin a journal in a folder that need not exist; raises OSError where it cannot be."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n")
        return cls(folder)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        return _about(self._store)

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

    def forget(self, *, answers: bool = True) -> None:
        """Drop all accepted candidates but the last, and all verdicts, unless not `answers`."""
        (number, files) = self._last
        with self._writing(), self._store:
            self._store.execute("BEGIN")
            if answers:
                self._store.execute("DELETE FROM verdicts")
            self._store.execute("DELETE FROM accepted WHERE number < ?", (number,))
            self._store.execute("UPDATE accepted SET delta = ?", (delta(files, {}),))

    # -- accepted candidates -------------------------------------------------------------

    def accept(self, key: bytes, files: Mapping[str, bytes]) -> bool:
        """Record an accepted candidate for good; return False if it was recorded before."""
        with self._writing():
            known = self._store.execute("SELECT 1 FROM accepted WHERE key = ?", (key,)).fetchone()
            if known:
                return False
            number, base = self._last
            size = sum(map(len, files.values()))
            row = (number + 1, key, time.time(), size, delta(files, base))
            # For this one write, wait until the disk has it, and all verdicts before it.
            self._store.execute("PRAGMA synchronous=FULL")
            self._store.execute("INSERT INTO accepted VALUES (?, ?, ?, ?, ?)", row)
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

    def accepted(self) -> Iterator[dict[str, bytes]]:
        """Yield the files of every accepted candidate, the original first."""
        files: dict[str, bytes] = {}
        for (packed,) in self._store.execute("SELECT delta FROM accepted ORDER BY number"):
            files = applied(packed, files)
            yield files

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One thread at a time; raise OSError for what SQLite says of the disk."""
        with self._lock:
            try:
                yield
            except sqlite3.OperationalError as error:
                raise OSError(f"the journal in {self.folder} cannot be written: {error}") from error

    def _newest(self) -> tuple[int, dict[str, bytes]]:
        last: dict[str, bytes] = {}
        for files in self.accepted():
            last = files
        (number,) = self._store.execute("SELECT max(number) FROM accepted").fetchone()
        return number or 0, last


def _about(store: sqlite3.Connection) -> dict[str, Any]:
    with suppress(sqlite3.OperationalError):
        rows = store.execute("SELECT name, value FROM about").fetchall()
        return {name: json.loads(value) for name, value in rows}
    return {}
