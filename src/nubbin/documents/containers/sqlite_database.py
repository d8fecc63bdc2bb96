"""SQLite: a database as the SQL statements that make it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count

from nubbin.documents.edits import File
from nubbin.documents.packing import Members, NotPacked, NotUnpacked, Unpacked

_DUMP = "dump.sql"
#: Say whether changes of the database are in a second file, which is missing here.
_VERSIONS = slice(18, 20)
#: Properties of a database, with their default values.
_PRAGMAS = {"page_size": 4096, "encoding": "UTF-8", "application_id": 0, "user_version": 0}
_MAX_STEPS, _STEPS_AT_ONCE = 200, 1_000_000


def unpack(file: File, limit: int) -> Unpacked:
    """Take a database apart: its only member is an SQL dump."""
    data = bytearray(file.data)
    data[_VERSIONS] = b"\1\1"
    dump = bytearray()
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(bytes(data))
            for statement in _statements(database):
                dump += f"{statement}\n".encode()
                if len(dump) > limit:
                    raise NotUnpacked("too large")
    except (sqlite3.Error, UnicodeError) as error:
        raise NotUnpacked(str(error)) from error
    return Unpacked({_DUMP: bytes(dump)}, _pack)


def _statements(database: sqlite3.Connection) -> Iterator[str]:
    database.execute("SELECT * FROM sqlite_master").fetchall()  # opens it
    for name, usual in _PRAGMAS.items():
        (value,) = database.execute(f"PRAGMA {name}").fetchone()
        if value != usual:
            yield f"PRAGMA {name}={value!r};"
    yield from database.iterdump()


def _pack(members: Members) -> bytes:
    """Return the database that a dump makes; raises NotPacked if it fails, or takes too long."""
    (dump,) = members.values()
    steps = count()
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
            database.set_authorizer(_authorize)
            database.set_progress_handler(lambda: next(steps) > _MAX_STEPS, _STEPS_AT_ONCE)
            database.executescript(dump.decode())
            database.rollback()
            database.set_authorizer(None)
            return database.serialize()
    except (sqlite3.Error, UnicodeError) as error:
        raise NotPacked(str(error)) from error


def _authorize(action: int, name: str | None, *_: object) -> int:
    """Deny access to anything outside of the database: a dump may be any text."""
    if action == sqlite3.SQLITE_ATTACH or (
        action == sqlite3.SQLITE_PRAGMA and name not in _PRAGMAS
    ):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
