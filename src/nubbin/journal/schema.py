"""The tables of a journal. Each row has a checksum, its seal, which detects damage."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import chain, repeat
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from nubbin.disk import Folder
from nubbin_core.errors import NubbinError
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

FILE = "journal.sqlite"

_SCHEMA = 7
_SIDE_FILES = ("-wal", "-shm", "-journal")  # that SQLite puts beside a database
# They have no constraints and no index: the seal checks a row, and an index could be damaged, too.
_TABLES = (
    "about (one INTEGER PRIMARY KEY, value TEXT, seal BLOB)",
    "verdicts (key BLOB PRIMARY KEY, verdict TEXT, seconds REAL, exit_code INTEGER, "
    "timed_out INTEGER, yes INTEGER, runs INTEGER, seal BLOB) WITHOUT ROWID",
    "accepted (number INTEGER PRIMARY KEY, key BLOB, at REAL, queries INTEGER, pass TEXT, "
    "bytes INTEGER, delta BLOB, seal BLOB)",
    "tally (one INTEGER PRIMARY KEY, value TEXT, seal BLOB)",
)
#: Their rows in `sqlite_master`. Any other row, such as a view or a trigger, is not nubbin's.
_DEFINITIONS = [
    ("table", name, name, f"CREATE TABLE {each}") for each in _TABLES for name in [each.split()[0]]
]
#: All statements and tables of nubbin are far below these limits.
_LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 20,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}
#: Limits on reading a journal, in instructions of SQLite. A row takes about 15, and has at least 40
#: bytes. If the pages of a damaged file form a cycle, its rows have no end.
_INSTRUCTIONS_PER_BYTE, _LEAST_INSTRUCTIONS = 10, 200_000
_PERIOD_INSTRUCTIONS = 10_000  # between two checks of the limit

#: The latest possible time in seconds since 1970: about 3,000 years, which `datetime` can show.
MAX_TIME_S = 1e11
_MAX_NUMBER = 1 << 60

# Types of the values in a journal, which `msgspec` checks when the journal is read.
Natural = Annotated[int, Meta(ge=0, le=_MAX_NUMBER)]
Number = Annotated[int, Meta(ge=1, le=_MAX_NUMBER)]
Seconds = Annotated[float, Meta(ge=0, le=MAX_TIME_S)]
AnyPath = Annotated[str, Meta(pattern=r"^[^\x00]+$")]
AbsolutePath = Annotated[str, Meta(pattern=r"^/[^\x00]*$")]
_Blob = bytes  # in `Accepted` the name is taken

T = TypeVar("T")

_DISK_ERRORS = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


class Unreadable(Exception):
    """A part of a journal is damaged; the message says which."""


#: Raised if a journal is damaged, or if the disk is full or fails. UnicodeError is raised if a
#: message of SQLite quotes a damaged table definition that Python cannot decode.
FAULTS = (sqlite3.Error, UnicodeError, Unreadable)


def is_of_the_disk(fault: Exception) -> bool:
    """Tell whether the disk caused a fault, and not a damaged journal."""
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF in _DISK_ERRORS


class OtherVersion(NubbinError):
    """A version of nubbin with different tables wrote the journal."""


class Ran(NamedTuple):
    """A row of `verdicts`: the runs on one candidate, `yes` of which were interesting.

    `verdict` and the values up to `timed_out`, which is 0 or 1, are from the last run.
    """

    key: bytes
    verdict: Verdict
    seconds: Seconds
    exit_code: int | None
    timed_out: Annotated[int, Meta(ge=0, le=1)]
    yes: Natural
    runs: Natural

    @property
    def trials(self) -> Trials:
        """The runs, as the search counts them."""
        return Trials(self.yes, self.runs)

    def is_final(self, timeout: float | None) -> bool:
        """Tell whether the test would not say more in `timeout` seconds."""
        return not self.timed_out or timeout is None or self.seconds >= timeout


class Accepted(NamedTuple):
    """A row of `accepted`: a candidate, the pass that found it, and the queries until then.

    The first one is the original, which no pass found. `at` is the time in seconds since 1970,
    `bytes` the size, and `delta` the difference from the candidate before.
    """

    number: Number
    key: _Blob
    at: Seconds
    queries: Natural
    pass_name: str
    bytes: Natural
    delta: _Blob


def sealed(table: str, *values: Any) -> tuple[Any, ...]:
    """Return the values of a row with their seal; takes about three microseconds."""
    last = values[-1]
    packed = last if isinstance(last, bytes) else b""  # `repr` of a long one would take long
    digest = blake2b(packed, digest_size=8, person=table.encode())
    digest.update(repr((values[:-1], len(packed)) if packed else values).encode())
    return *values, digest.digest()


def place_of(folder: Path) -> Path:
    """Return the file of a run's journal; raises NubbinError if there is none.

    Raises Unreadable if SQLite would open anything but a file, because it would wait for a pipe.
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
    """Open a journal for reading, without disturbing a writer; raises sqlite3.Error."""
    mode = "mode=ro"
    # SQLite would make the log of a run that has ended, but the reader may not write there.
    if not (os.access(place.parent, os.W_OK) or place.with_name(f"{FILE}-wal").exists()):
        mode += "&immutable=1"
    return _prepared(sqlite3.connect(f"{place.absolute().as_uri()}?{mode}", uri=True))


def opened_for_writing(folder: Folder) -> sqlite3.Connection:
    """Open a journal for writing; raises sqlite3.Error, and NotOurs.

    SQLite opens files by their paths. So a user who can rename the folders above could redirect it,
    but would have to undo that before the path is checked.
    """
    path = folder.path / FILE
    for end in ("", *_SIDE_FILES):
        if path.with_name(f"{FILE}{end}").is_symlink():
            raise Unreadable(f"{FILE}{end} is a link, so it is not written to")
    store = _prepared(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
    try:
        folder.check_path()
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("PRAGMA synchronous=NORMAL")
        folder.check_path()
    except BaseException:
        store.close()
        raise
    return store


def _prepared(store: sqlite3.Connection) -> sqlite3.Connection:
    """Prepare a connection for a file that any user may have made; close it on any error.

    Damaged text does not raise an error. It is decoded as another text, which fails the seal.
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
    """In the block, raise sqlite3.OperationalError if reading takes too long for the size."""
    size = sum(
        each.stat().st_size for each in (place, place.with_name(f"{FILE}-wal")) if each.exists()
    )
    most = (_LEAST_INSTRUCTIONS + _INSTRUCTIONS_PER_BYTE * size) // _PERIOD_INSTRUCTIONS
    # Not a Python function: SQLite would swallow an interrupt in it, and fail.
    is_enough = chain(repeat(False, most), repeat(True)).__next__
    store.set_progress_handler(is_enough, _PERIOD_INSTRUCTIONS)
    try:
        yield
    finally:
        store.set_progress_handler(None, _PERIOD_INSTRUCTIONS)


def make(store: sqlite3.Connection) -> None:
    """Make the tables if there are none."""
    if not store.execute("SELECT name FROM sqlite_master").fetchone():
        with store:  # one transaction, so that no reader sees only some of them
            store.execute("BEGIN")
            for table in _TABLES:
                store.execute(f"CREATE TABLE {table}")
            store.execute(f"PRAGMA user_version={_SCHEMA}")
            tell(store, {})


def write_row(store: sqlite3.Connection, table: str, *values: Any) -> None:
    """Write a row with its seal; it replaces the row of the same key."""
    row = sealed(table, *values)
    store.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def tell(store: sqlite3.Connection, values: object, table: str = "about") -> None:
    """Replace the facts about a run, or its `tally`, in one row, so that none is ever missing."""
    write_row(store, table, 1, json.dumps(msgspec.to_builtins(values)))


def never_began(folder: Path) -> NubbinError:
    """Return the error for a run that recorded nothing."""
    return NubbinError(f"The run in {folder} ended before it began. Start it again.")


def check_tables(store: sqlite3.Connection, folder: Path) -> None:
    """Check that a journal has the tables of this version and nothing else; reads no row of them.

    Raises OtherVersion for another version, NubbinError for a run that never began, Unreadable for
    any other table, view or trigger, and sqlite3.DatabaseError for a file that is no database.
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


# -- reading rows and checking their seals -----------------------------------------


def told(store: sqlite3.Connection) -> dict[str, Any]:
    """Return the facts about the run, for `RunFacts`; raises Unreadable if they are damaged."""
    values = value(store, "about")
    if not isinstance(values, dict):
        raise Unreadable("the facts of the run in it are damaged")
    return values


def value(store: sqlite3.Connection, table: str) -> Any:
    """Return the JSON value in the only row of a table; None if it is missing or damaged."""
    rows = list(_whole_rows(store.execute(f"SELECT * FROM {table} LIMIT 2"), table))
    with suppress(ValueError, TypeError, RecursionError):
        if len(rows) == 1 and rows[0] is not None:
            return json.loads(rows[0][1])
    return None


def verdicts(store: sqlite3.Connection) -> dict[bytes, Ran]:
    """Return the intact rows of the verdicts by key; the queries of damaged ones are repeated."""
    rows = _whole_rows(store.execute("SELECT * FROM verdicts"), "verdicts")
    ran = (_as(Ran, row) for row in rows)
    return {each.key: each for each in ran if each is not None and each.yes <= each.runs}


def accepted_rows(store: sqlite3.Connection, after: int = 0) -> Iterator[Accepted]:
    """Yield the accepted candidates after a number, in order; the original is number 1.

    Raises Unreadable at the first damage.
    """
    rows = store.execute("SELECT * FROM accepted WHERE number > ? ORDER BY number", (after,))
    for expected, row in enumerate(_whole_rows(rows, "accepted"), after + 1):
        if row is not None and row[0] != expected:
            raise Unreadable(f"candidate {expected} is missing")
        candidate = _as(Accepted, row)
        if candidate is None:
            raise Unreadable(f"candidate {expected} is damaged")
        yield candidate


def has(store: sqlite3.Connection, row: Accepted) -> bool:
    """Tell whether an accepted candidate is still recorded, and was not rolled back."""
    found = store.execute("SELECT key FROM accepted WHERE number = ?", (row.number,)).fetchone()
    return bool(found == (row.key,))


def _whole_rows(rows: sqlite3.Cursor, table: str) -> Iterator[tuple[Any, ...] | None]:
    """Yield each row without its seal, or None if it does not match its seal."""
    for row in rows:
        yield row[:-1] if row == sealed(table, *row[:-1]) else None


def _as(kind: type[T], row: tuple[Any, ...] | None) -> T | None:
    """Return a row as a value; None if it is damaged, or a value has another type or range."""
    with suppress(msgspec.ValidationError):
        return msgspec.convert(row, kind, builtin_types=(bytes,))
    return None
