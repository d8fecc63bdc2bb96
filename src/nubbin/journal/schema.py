"""The tables of a journal. Every row has a checksum, its seal, that shows damage to any value."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import msgspec

from nubbin.disk import Folder
from nubbin.journal.tally import Tally
from nubbin.journal.values import MAX_TIME_S
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict

FILE = "journal.sqlite"

_SCHEMA = 7
_SIDE_FILES = ("-wal", "-shm", "-journal")  # that SQLite puts beside a database
# Without constraints or an index: the seal checks a row, and an index would be a second copy that
# may be damaged.
_TABLES = (
    "about (one INTEGER PRIMARY KEY, value TEXT, seal BLOB)",
    "verdicts (key BLOB PRIMARY KEY, verdict TEXT, seconds REAL, exit_code INTEGER, "
    "timed_out INTEGER, yes INTEGER, runs INTEGER, seal BLOB) WITHOUT ROWID",
    "accepted (number INTEGER PRIMARY KEY, key BLOB, at REAL, queries INTEGER, pass TEXT, "
    "bytes INTEGER, delta BLOB, seal BLOB)",
    "tally (one INTEGER PRIMARY KEY, value TEXT, seal BLOB)",
)
#: What `sqlite_master` has of them, byte for byte; a view or a trigger is another person's program.
_DEFINITIONS = [
    ("table", name, name, f"CREATE TABLE {each}") for each in _TABLES for name in [each.split()[0]]
]
#: No statement of ours, and no definition of a table, comes near these.
_LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 20,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}
#: What reading a journal may take, in instructions of SQLite: a row takes some 15, and has 40
#: bytes or more. If the pages of a file name one another again and again, it has endless rows.
_INSTRUCTIONS_PER_BYTE, _LEAST_INSTRUCTIONS = 10, 200_000
_PERIOD_INSTRUCTIONS = 10_000  # between two looks at how many it were
_VERDICTS = frozenset(each.value for each in Verdict)

_Blob = bytes  # in `Accepted` the name is taken

_OF_THE_DISK = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


class Unreadable(Exception):
    """Something in a journal is not as it was written; the message says what."""


#: Raised by a journal that is damaged, or on a disk that is full or fails. UnicodeError because
#: SQLite quotes damaged table definitions in messages that Python cannot decode.
FAULTS = (sqlite3.Error, UnicodeError, Unreadable)


def is_of_the_disk(fault: Exception) -> bool:
    """Tell whether the disk is at fault, and not the journal itself."""
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF in _OF_THE_DISK


class OtherVersion(NubbinError):
    """A journal was written by a version of nubbin that has other tables."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted candidate: the number of queries so far, and the pass that found it.

    The first is the original, found by no pass. `at` is the time in seconds since 1970, `bytes` the
    size, `delta` the difference from the candidate before.
    """

    number: int
    key: bytes
    at: float
    queries: int
    pass_name: str
    bytes: int
    delta: _Blob

    @property
    def is_possible(self) -> bool:
        """Whether each value is of its type, and may be that of a candidate."""
        values = (
            self.number,
            self.key,
            self.at,
            self.queries,
            self.pass_name,
            self.bytes,
            self.delta,
        )
        return (
            tuple(map(type, values)) == (int, _Blob, float, int, str, int, _Blob)
            and 0 <= self.at <= MAX_TIME_S
            and min(self.queries, self.bytes) >= 0
        )


def sealed(table: str, *values: Any) -> tuple[Any, ...]:
    """Return the values of a row with their seal; about three microseconds."""
    last = values[-1]
    packed = last if isinstance(last, bytes) else b""  # long ones are not spelled out
    digest = blake2b(packed, digest_size=8, person=table.encode())
    digest.update(repr((values[:-1], len(packed)) if packed else values).encode())
    return *values, digest.digest()


def place_of(folder: Path) -> Path:
    """Return the file of a run's journal; raises NubbinError if there is none.

    Raises Unreadable if one of the names that SQLite would open is not a file: SQLite would wait
    for a pipe.
    """
    place = folder / FILE
    if not os.path.lexists(place):
        raise NubbinError(
            f"There is no recorded run in {folder}; `nubbin log` lists what there is."
        )
    for end in ("", *_SIDE_FILES):
        each = place.with_name(f"{FILE}{end}")
        if os.path.lexists(each) and not each.is_file():
            raise Unreadable(f"{each.name} is not a file")
    return place


def opened_for_reading(place: Path) -> sqlite3.Connection:
    """Open a journal for a reader, which disturbs no writer; raises sqlite3.Error."""
    mode = "mode=ro"
    # A reader who may not write there cannot make the log of a run that has ended, as SQLite would.
    if not (os.access(place.parent, os.W_OK) or place.with_name(f"{FILE}-wal").exists()):
        mode += "&immutable=1"
    return _wary(sqlite3.connect(f"{place.absolute().as_uri()}?{mode}", uri=True))


def opened_for_writing(folder: Folder) -> sqlite3.Connection:
    """Open a journal for the reduction itself; raises sqlite3.Error, and NotOurs.

    SQLite opens files by their paths, so a user who may rename the folders above might lead it
    elsewhere. They have to be quick to change them back before we look.
    """
    path = folder.path / FILE
    for end in ("", *_SIDE_FILES):
        if path.with_name(f"{FILE}{end}").is_symlink():
            raise Unreadable(f"{FILE}{end} is a link, so it is not written to")
    store = _wary(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
    try:
        folder.check_path()
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("PRAGMA synchronous=NORMAL")
        folder.check_path()
    except BaseException:
        store.close()
        raise
    return store


def _wary(store: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection set up for a file that any user may have made; closes it on any error.

    Damaged text is decoded as other text, which fails its seal, instead of raising an error.
    """
    store.text_factory = lambda data: data.decode(errors="replace")
    try:
        for limit, most in _LIMITS.items():
            store.setlimit(limit, most)
        store.execute("PRAGMA trusted_schema=OFF")
        store.execute("PRAGMA cell_size_check=ON")
    except BaseException:
        store.close()
        raise
    return store


@contextmanager
def bounded(store: sqlite3.Connection, place: Path) -> Iterator[None]:
    """In the block, raise sqlite3.OperationalError if reading takes more than the file explains."""
    size = sum(
        each.stat().st_size for each in (place, place.with_name(f"{FILE}-wal")) if each.exists()
    )
    most = (_LEAST_INSTRUCTIONS + _INSTRUCTIONS_PER_BYTE * size) // _PERIOD_INSTRUCTIONS
    # No function of Python: SQLite would swallow an interrupt in it, and fail.
    is_enough = chain(repeat(False, most), repeat(True)).__next__
    store.set_progress_handler(is_enough, _PERIOD_INSTRUCTIONS)
    try:
        yield
    finally:
        store.set_progress_handler(None, _PERIOD_INSTRUCTIONS)


def make(store: sqlite3.Connection) -> None:
    """Make the tables if there are none."""
    if not store.execute("SELECT name FROM sqlite_master").fetchone():
        with store:  # in one transaction, so that no reader finds half of it
            store.execute("BEGIN")
            for table in _TABLES:
                store.execute(f"CREATE TABLE {table}")
            store.execute(f"PRAGMA user_version={_SCHEMA}")
            tell(store, {})


def tell(store: sqlite3.Connection, facts: Mapping[str, Any]) -> None:
    """Write the facts about a run, all in one row, so that none is ever missing."""
    row = sealed("about", 1, json.dumps(facts))
    store.execute("INSERT OR REPLACE INTO about VALUES (?, ?, ?)", row)


def tell_tally(store: sqlite3.Connection, tally: Tally) -> None:
    """Write the tally in the place of the one before."""
    row = sealed("tally", 1, json.dumps(tally.to_json()))
    store.execute("INSERT OR REPLACE INTO tally VALUES (?, ?, ?)", row)


def never_began(folder: Path) -> NubbinError:
    """Return the error for a run of which nothing was recorded."""
    return NubbinError(f"The run in {folder} ended before it began. Start it again.")


def check(store: sqlite3.Connection, folder: Path) -> None:
    """Check that a journal has the tables of this version, and nothing else; ask it for no row.

    Raises OtherVersion for another version, NubbinError for none, Unreadable for any other table,
    view or trigger, sqlite3.DatabaseError for garbage.
    """
    (schema,) = store.execute("PRAGMA user_version").fetchone()
    if schema == 0 and not store.execute("SELECT name FROM sqlite_master").fetchone():
        raise never_began(folder)
    if schema != _SCHEMA:
        raise OtherVersion(
            f"The run in {folder} was recorded by another version of nubbin, and only that one can "
            f"read it. Use that version, or reduce the result further in a new run."
        )
    definitions = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT ?"
    if store.execute(definitions, (len(_DEFINITIONS) + 1,)).fetchall() != _DEFINITIONS:
        raise Unreadable("its tables are not those that nubbin makes")


# -- rows, checked against their seals ---------------------------------------------


def told(store: sqlite3.Connection) -> dict[str, Any]:
    """Return what was told of the run, for `RunFacts`; raises Unreadable if it is damaged."""
    rows = list(_intact("about", store.execute("SELECT * FROM about LIMIT 2")))
    if len(rows) != 1 or rows[0] is None:
        raise Unreadable("the facts of the run in it are damaged")
    try:
        values = json.loads(rows[0][1])
    except (ValueError, TypeError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise Unreadable("the facts of the run in it are damaged")
    return values


def tally(store: sqlite3.Connection) -> Tally | None:
    """Return the tally of the run; None if there is none, or if it is damaged."""
    for row in _intact("tally", store.execute("SELECT * FROM tally LIMIT 1")):
        with suppress(ValueError, TypeError, RecursionError, msgspec.ValidationError):
            if row is not None:
                return Tally.from_json(json.loads(row[1]))
    return None


def verdicts(store: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the verdicts, without damaged ones: these are asked for again."""
    rows = store.execute("SELECT * FROM verdicts")
    return (row for row in _intact("verdicts", rows) if row is not None and _is_answer(row))


def accepted(store: sqlite3.Connection, after: int = 0) -> Iterator[Accepted]:
    """Yield the accepted candidates after a number, in order; the original is number 1.

    Raises Unreadable at the first damage.
    """
    rows = store.execute("SELECT * FROM accepted WHERE number > ? ORDER BY number", (after,))
    for expected, row in enumerate(_intact("accepted", rows), after + 1):
        if row is None:
            raise Unreadable(f"candidate {expected} is damaged")
        if row[0] != expected:
            raise Unreadable(f"candidate {expected} is missing")
        candidate = Accepted(*row)
        if not candidate.is_possible:
            raise Unreadable(f"candidate {expected} is damaged")
        yield candidate


def _is_answer(row: tuple[Any, ...]) -> bool:
    """Tell whether each value of a row is of its type, and may be that of an answer."""
    key, verdict, seconds, exit_code, *counts = row
    _, yes, runs = counts
    return (
        tuple(map(type, (key, seconds, exit_code or 0, *counts)))
        == (bytes, float, int, int, int, int)
        and verdict in _VERDICTS
        and 0 <= seconds <= MAX_TIME_S
        and 0 <= yes <= runs
    )


def has(store: sqlite3.Connection, row: Accepted) -> bool:
    """Tell whether a candidate that was accepted is still there, and not rolled back."""
    found = store.execute("SELECT key FROM accepted WHERE number = ?", (row.number,)).fetchone()
    return bool(found == (row.key,))


def _intact(table: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...] | None]:
    """Yield each row without its seal, None for one that does not match its seal."""
    for row in rows:
        yield row[:-1] if row == sealed(table, *row[:-1]) else None
