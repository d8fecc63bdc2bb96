"""The tables of a journal, and how they are read, by the run itself and by those who look."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from nubbin.documents.deltas import applied
from nubbin.oracles.errors import WrongTest

FILE = "journal.sqlite"

_SCHEMA = 4
_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE verdicts (
    key BLOB PRIMARY KEY, verdict TEXT NOT NULL, seconds REAL NOT NULL, exit_code INTEGER,
    timed_out INTEGER NOT NULL, yes INTEGER NOT NULL, runs INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE accepted (
    number INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, at REAL NOT NULL,
    queries INTEGER NOT NULL, pass TEXT NOT NULL, bytes INTEGER NOT NULL, delta BLOB NOT NULL
);
"""


def place_of(folder: Path) -> Path:
    """Return the file of a run's journal; raises WrongTest where there is none."""
    place = folder / FILE
    if not place.is_file():
        raise WrongTest(f"There is no recorded run in {folder}; `nubbin runs` lists what there is.")
    return place


def looking_at(place: Path) -> closing[sqlite3.Connection]:
    """Open a journal for those who look, which gets in nobody's way; raises sqlite3.Error."""
    return closing(sqlite3.connect(f"{place.absolute().as_uri()}?mode=ro", uri=True))


def make(store: sqlite3.Connection) -> None:
    """Make the tables, if there are none at all."""
    if not store.execute("SELECT name FROM sqlite_master").fetchone():
        store.executescript(f"BEGIN; {_TABLES} PRAGMA user_version={_SCHEMA}; COMMIT;")


def check(store: sqlite3.Connection, folder: Path) -> None:
    """Raise WrongTest for the tables of another version, sqlite3.DatabaseError for none."""
    (schema,) = store.execute("PRAGMA user_version").fetchone()
    if schema != _SCHEMA:
        raise WrongTest(
            f"The run in {folder} was recorded by another version of nubbin, and only that one can "
            f"read it. Use that version, or reduce the result further in a new run."
        )


def about(store: sqlite3.Connection) -> dict[str, Any]:
    """Return what was told of the run."""
    return {name: json.loads(value) for name, value in store.execute("SELECT * FROM about")}


def candidates(store: sqlite3.Connection) -> Iterator[tuple[int, dict[str, bytes]]]:
    """Yield number and files of every accepted candidate, the original first.

    Each is unpacked from the one before: linear in all that is yielded.
    """
    files: dict[str, bytes] = {}
    for number, packed in store.execute("SELECT number, delta FROM accepted ORDER BY number"):
        files = applied(packed, files)
        yield number, files
