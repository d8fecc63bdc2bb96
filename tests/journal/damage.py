"""Ways to damage a recorded run, and what must never come of it: another result, or a traceback."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from faults import ASKER
from nubbin.cli import main

TEXT = b"".join(b"%d\n" % number for number in range(40))
COLUMNS = {
    "about": ["one", "value", "seal"],
    "verdicts": ["key", "verdict", "seconds", "exit_code", "timed_out", "yes", "runs", "seal"],
    "accepted": ["number", "key", "at", "queries", "pass", "bytes", "delta", "seal"],
    "tally": ["one", "value", "seal"],
}
UNTYPED = {
    "about": "(one INTEGER PRIMARY KEY, value, seal)",
    "verdicts": "(key PRIMARY KEY, verdict, seconds, exit_code, timed_out, yes, runs, seal) "
    "WITHOUT ROWID",
    "accepted": "(number INTEGER PRIMARY KEY, key, at, queries, pass, bytes, delta, seal)",
    "tally": "(one INTEGER PRIMARY KEY, value, seal)",
}

Value = None | int | float | str | bytes


@dataclass(frozen=True)
class Scene:
    """A folder with a recorded run in it, which is put back as it was before each trial."""

    folder: Path
    kept: Path
    best: bytes  # in the journal
    result: bytes  # in the end

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def journal(self) -> Path:
        return self.run / "journal.sqlite"

    @property
    def target(self) -> Path:
        return self.folder / "in.reduced.txt"

    def reset(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder)

    def check(self) -> list[int]:
        """Use the run in every way; return the exit codes of `restore` and `resume`."""
        lies = self.target.read_bytes()
        nubbin("log", self.run)
        back = self.folder / "back"
        restored = nubbin("show", self.run, "-o", back)
        assert back.exists() == (restored == 0)
        if restored == 0:
            assert back.read_bytes() == self.best
        first = nubbin("show", self.run, "1", "-o", self.folder / "first")
        assert first == 1 or (self.folder / "first").read_bytes() == TEXT
        resumed = nubbin("resume", "--quiet", "-j1", self.run)
        assert self.target.read_bytes() == (self.result if resumed == 0 else lies)
        return [restored, resumed]


def nubbin(*words: str | Path) -> int:
    """Run a command that must end well, or with a paragraph; return its exit code."""
    told = CliRunner().invoke(main, [*map(str, words)])
    if told.exception is not None and not isinstance(told.exception, SystemExit):
        raise told.exception
    assert told.exit_code in (0, 1), (words, told.stderr)
    if told.exit_code == 1 and words[0] != "verify":  # which says what does not hold
        assert told.stderr.startswith("nubbin: "), (words, told.stderr)
    return told.exit_code


def make_scene(folder: Path, *, killed: bool) -> Scene:
    """Record a run that was killed, or one that is done."""
    work = folder / "work"
    work.mkdir()
    (work / "in.txt").write_bytes(TEXT)
    test, count = folder / "test.sh", folder / "count"
    count.touch()
    kill = f"echo >>{count}; [ $(wc -l <{count}) -ne 12 ] || kill -9 {ASKER}"
    found = "grep -qx 17 in.txt && grep -qx 31 in.txt"
    test.write_text(f"#!/bin/sh\n{kill if killed else ''}\n{found}\n")
    test.chmod(0o755)
    line = [sys.executable, "-m", "nubbin", "reduce", "-q", "-j1", "--run-dir", str(work / "run")]
    ended = subprocess.run([*line, test, work / "in.txt"], check=False)
    assert ended.returncode == (-signal.SIGKILL if killed else 0)
    # Killed, it has not removed this; that is looked at elsewhere.
    shutil.rmtree(work / ".in.reduced.txt.nubbin", ignore_errors=True)
    lies = (work / "in.reduced.txt").read_bytes()
    assert (lies != b"17\n31") == killed
    shutil.copytree(work, folder / "kept")
    scene = Scene(work, folder / "kept", lies, b"17\n31")
    scene.reset()
    restored, resumed = scene.check()
    assert (restored, resumed) == (0, 0)
    return scene


# -- ways to damage a value ------------------------------------------------------------------------


def flipped(value: Value) -> Value:
    match value:
        case int():
            return value ^ 1
        case float():
            (bits,) = struct.unpack("<q", struct.pack("<d", value))
            return float(*struct.unpack("<d", struct.pack("<q", bits ^ 1)))
        case str():
            return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "\x01"
        case bytes():
            return value[:-1] + bytes([value[-1] ^ 1])
    return 1


def other_type(value: Value) -> Value:
    return value.encode() if isinstance(value, str) else str(value)


def shortened(value: Value) -> Value:
    return value[: len(value) // 2] if isinstance(value, str | bytes) else None


def huge(value: Value) -> Value:
    if isinstance(value, str):
        return value * 2 + "\0" * 10**6
    return value * 2 + bytes(10**6) if isinstance(value, bytes) else 2**62


WAYS: list[Callable[[Value], Value]] = [lambda value: None, flipped, other_type, shortened, huge]


def damage_value(place: Path, table: str, column: str, way: Callable[[Value], Value]) -> bool:
    """Damage a column of one of the rows, a middle one; return whether that changed it.

    Meanwhile the table says nothing of types: one that nubbin made would not allow some, and mend
    others. The number of a row remains a number that no other row has.
    """
    made = _defined(place, table, f"CREATE TABLE {table} {UNTYPED[table]}")
    with closing(sqlite3.connect(place)) as store:
        before = store.execute(f"SELECT {column}, {COLUMNS[table][0]} FROM {table}").fetchall()
        value, row = before[len(before) // 2]
        with suppress(sqlite3.IntegrityError):
            change = f"UPDATE {table} SET {column} = ? WHERE {COLUMNS[table][0]} = ?"
            store.execute(change, (way(value), row))
        store.commit()
        after = store.execute(f"SELECT {column}, {COLUMNS[table][0]} FROM {table}").fetchall()
    _defined(place, table, made)
    return repr(before) != repr(after)


def _defined(place: Path, table: str, definition: str) -> str:
    """Define a table otherwise, with its rows as they are; return how it was defined."""
    with closing(sqlite3.connect(place)) as store:
        (before,) = store.execute(
            "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
        store.execute("PRAGMA writable_schema=ON")
        store.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (definition, table))
        store.commit()
    return str(before)


def flip(place: Path, bits: list[int]) -> None:
    """Flip bits of a file, counted modulo its length."""
    data = bytearray(place.read_bytes())
    for bit in bits:
        data[bit // 8 % len(data)] ^= 1 << bit % 8
    with suppress(FileNotFoundError):
        place.unlink()
    place.write_bytes(data)
