"""Attacks by journals of strangers: damaged ones, facts of other types, lies, and other schemas.

A journal is read by every command, one after the other in one process of its own that has limits of
processor time and memory. It belongs to another user, if there is one. Nothing may hang or end in a
traceback, no command that only reads may run the test, and none may write anywhere but where it
should.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from nubbin.cli import main
from nubbin.journal import schema
from nubbin.watch.reader import RunReader
from nubbin_core.errors import NubbinError
from reliability import users
from reliability.runs import Attack, Peace, begun, jobs, move_away, was_told
from reliability.scene import Puzzle, Scene, recorded

_CPU_S = 15  # of all commands on one journal, which take two
_MEMORY_BYTES = 4 << 30
_CLOCK_S = 600

#: What a stranger reduced; its test leaves a mark whenever it runs.
_THEIRS = Puzzle(
    "t.txt", {"t.txt": b"\n".join(b"%d" % n for n in range(10, 24))}, (b"17",), (b"x", b"x")
)
_MARK = "ran"

#: Commands that only read; {page} is replaced.
_READERS = (
    ("log",),
    ("log", "theirs"),
    ("report", "theirs", "-o", "page.html"),
    ("report", "theirs", "--markdown", "-o", "page.md"),
    ("show", "theirs", "1", "-o", "restored"),
    ("show", "theirs", "-o", "best"),
)
#: Commands that run the test, which the user did not record: they refuse it, unless it is trusted.
_RUNNERS = (("resume", "theirs", "-q", "-j1"), ("verify", "theirs"))
_TRUSTING = tuple((*words, "--trust") for words in _RUNNERS)


@cache
def _template() -> tuple[Path, str]:
    """Return the folder of a run to copy, and the root that its journal names."""
    kept = Path(tempfile.mkdtemp(prefix="faults-journal-"))
    atexit.register(shutil.rmtree, kept, ignore_errors=True)
    root = recorded(_THEIRS, f'touch "$0.{_MARK}"', kept / "run")
    return kept / "run", str(root)


def planted(scene: Scene) -> Path:
    """Copy the run into a scene, whose places its journal then names; return its folder."""
    template, root = _template()
    run = scene.work / ".nubbin" / "theirs"
    shutil.copytree(template, run)
    theirs = f'#!/bin/sh\ntouch "$0.{_MARK}"\n{_THEIRS.condition()}\n'
    scene.script.write_text(theirs)
    with closing(sqlite3.connect(run / schema.FILE)) as store:
        (text,) = store.execute("SELECT value FROM about").fetchone()
        about = json.loads(text.replace(root, str(scene.root)))
        schema.tell(store, about | {"target": str(scene.work / "theirs.txt")})
        store.commit()
    return run


def read_by_all(scene: Scene, commands: tuple[tuple[str, ...], ...]) -> None:
    """Have all commands and the view read the run of a stranger; add what goes wrong."""
    told = scene.root / "told"
    child = os.fork()
    if not child:
        _child(scene, told, commands)
    _, status = os.waitpid(child, 0)
    text = told.read_text(errors="replace")
    last = text.rpartition("$ ")[2].partition("\n")[0]
    if os.WIFSIGNALED(status):
        scene.faults.append(f"{last}: hangs, or was ended by signal {os.WTERMSIG(status)}")
    if "Traceback (most" in text:
        before, _, after = text.partition("Traceback (most")
        name = before.rpartition("$ ")[2].partition("\n")[0]
        said = after.partition("\n$ ")[0].strip().splitlines()
        scene.faults.append(f"{name}: traceback: {said[-1][:200]}")


def _child(scene: Scene, told: Path, commands: tuple[tuple[str, ...], ...]) -> None:
    """Run commands on the journal with limits, and end this process."""
    try:
        os.chdir(scene.work)
        os.environ.update(scene.environment)
        tempfile.tempdir = None  # so that it is looked up again
        out = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        for descriptor in (1, 2):
            os.dup2(out, descriptor)
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        signal.alarm(_CLOCK_S)
        for words in commands:
            os.write(out, f"$ {words[0]}\n".encode())
            try:
                main(list(words), prog_name="nubbin")
            except SystemExit:
                pass
            except BaseException:
                os.write(out, traceback.format_exc().encode(errors="replace"))
        os.write(out, b"$ watch\n")
        try:
            RunReader(Path(".nubbin/theirs")).read()
        except NubbinError:
            pass
        except BaseException:
            os.write(out, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(0)


def stranger(change: Callable[[sqlite3.Connection, Path, random.Random], None]) -> Attack:
    """Return the attack by a journal that was changed in this way."""

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        run = planted(scene)
        with closing(sqlite3.connect(run / schema.FILE, isolation_level=None)) as store:
            change(store, run / schema.FILE, rng)
        if users.possible():
            subprocess.run(["chown", "-R", f"{users.NOBODY}", run.parent], check=True)
        read_by_all(scene, (*_READERS, *_RUNNERS))
        mark = scene.root / f"test.sh.{_MARK}"
        if mark.exists():
            scene.faults.append("the test of a stranger was run")
        read_by_all(scene, _TRUSTING)
        found = scene.at(scene.work / "theirs.txt")
        if found and not _THEIRS.interesting({"t.txt": next(iter(found.values()))}):
            scene.faults.append(f"resumed to what is not interesting: {found}")
        made = ("page.html", "page.md", "restored", "best", "theirs.txt")
        subprocess.run(["rm", "-rf", *made], cwd=scene.work, check=True)
        known = {"work", "tmp", "test.sh", "check.py", "told", mark.name}
        if others := {path.name for path in scene.root.iterdir()} - known:
            scene.faults.append(f"written elsewhere: {sorted(others)}")
        scene.check(None)
        return False

    return attack


# -- damage -----------------------------------------------------------------------------------


def damage(place: Path, rng: random.Random) -> None:
    """Flip bits, cut the file, or put other bytes into it."""
    data = bytearray(place.read_bytes())
    if not data:
        return
    for _ in range(rng.choice((1, 5, 50))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)) :]
    elif rng.random() < 0.2:
        at = rng.randrange(len(data))
        data[at : at + 200] = rng.randbytes(200)
    place.write_bytes(data)


def _damaged(store: sqlite3.Connection, place: Path, rng: random.Random) -> None:
    """Damage the file of the journal."""
    store.close()
    damage(place, rng)


def our_own(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """The journal of a run that was killed is damaged; it goes on to the same result, or stops."""
    process = begun(scene, peace, rng)
    process.kill()
    process.communicate()
    files = [*scene.work.glob(f".nubbin/*/{schema.FILE}"), *scene.work.glob(".nubbin/*/*-wal")]
    if files:
        damage(rng.choice(files), rng)
    code, told = scene.run_to_the_end(*jobs(rng))
    refused = was_told(scene, code, told)
    if refused:
        # If there is a result, it must be an interesting candidate; no other file may be touched.
        now = scene.result()
        if now is not None and not scene.puzzle.interesting(now):
            scene.faults.append(f"what is left is not interesting: {now}")
        move_away(scene)
        subprocess.run(["rm", "-rf", str(scene.work / ".nubbin")], check=True)
        scene.run("reduce", "-q")
    scene.check(peace.files)
    return refused


# -- facts and sizes, under seals that are right ----------------------------------------------

_OTHERS: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**70, 1e308, "", "x", "\ud800\0\x1b[2J", [], {}, [[]], [{}], {"": []}),
    *([1] * 3, {"begun": "x"}, ["x"] * 1000),
)


def _facts(store: sqlite3.Connection, _: Path, rng: random.Random) -> None:
    """Replace facts, or parts of them, by others of any type, or leave them out."""
    (text,) = store.execute("SELECT value FROM about").fetchone()
    about = json.loads(text)
    for _again in range(rng.choice((1, 1, 3))):
        inside, key = about, rng.choice(sorted(about))
        while isinstance(inside[key], dict | list) and inside[key] and rng.random() < 0.5:
            inside = inside[key]
            key = rng.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        if rng.random() < 0.2 and isinstance(inside, dict):
            del inside[key]
        else:
            inside[key] = deepcopy(rng.choice(_OTHERS))
    schema.tell(store, about)


def _lies(store: sqlite3.Connection, _: Path, rng: random.Random) -> None:
    """Change a value of a candidate, an answer or the tally to another one."""
    table = rng.choice(("accepted", "accepted", "verdicts", "tally"))
    row = list(rng.choice(store.execute(f"SELECT * FROM {table}").fetchall())[:-1])
    at = rng.randrange(len(row))
    row[at] = rng.choice((None, -1, 0, 2**62, 1e308, b"", b"\0" * 8, "x", rng.randbytes(40)))
    if table == "accepted" and rng.random() < 0.5:
        row[-1] = _delta(rng)
    with suppress(sqlite3.Error):  # a table may refuse a value
        _tell(store, table, row)


def _delta(rng: random.Random) -> bytes:
    """Return a candidate whose sizes lie."""
    sizes: Any = rng.choice(
        ({"t.txt": 2**60}, {"t.txt": -5}, {"../x": 9}, {"/x": 9}, [], {"t.txt": "x"})
    )
    head = json.dumps([rng.choice((0, -9, 2**40)), rng.choice((0, 7, -1)), sizes]).encode()
    length = rng.choice((len(head), len(head), 2**62, 0))
    return struct.pack(">Q", length) + head + zeros(1)


def _huge(store: sqlite3.Connection, _: Path, rng: random.Random) -> None:
    """Make a candidate of twelve gigabytes of zeros, which takes 400 KB here."""
    row = list(rng.choice(store.execute("SELECT * FROM accepted").fetchall())[:-1])
    blocks = 98_304
    told = rng.choice((row[-2], blocks << 17))
    head = json.dumps([0, 0, {"t.txt": told}]).encode()
    row[-2:] = [told, struct.pack(">Q", len(head)) + head + zeros(blocks)]
    _tell(store, "accepted", row)


def _tell(store: sqlite3.Connection, table: str, row: list[Any]) -> None:
    """Write a row under a seal that is right."""
    values = schema.sealed(table, *row)
    store.execute(f"REPLACE INTO {table} VALUES ({', '.join('?' * len(values))})", values)


def zeros(blocks: int) -> bytes:
    """Return a frame of zstd that unpacks to this many times 128 KiB of zeros: four bytes each."""
    block, last = 131_072 << 3 | 1 << 1, 131_072 << 3 | 1 << 1 | 1
    body = (block.to_bytes(3, "little") + b"\0") * (blocks - 1)
    head = b"\x28\xb5\x2f\xfd\xc0\x38" + (blocks << 17).to_bytes(8, "little")
    return head + body + last.to_bytes(3, "little") + b"\0"


# -- other schemas ----------------------------------------------------------------------------

_ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
SCHEMAS: dict[str, str] = {
    "about is an endless view": f"DROP TABLE about; CREATE VIEW about AS {_ENDLESS} "
    "SELECT n AS one, 'x' AS value, x'00' AS seal FROM r",
    "accepted is an endless view": f"DROP TABLE accepted; CREATE VIEW accepted AS {_ENDLESS} "
    "SELECT n AS number, x'00' AS key, 0.0 AS at, n AS queries, '' AS pass, 1 AS bytes, "
    "x'00' AS delta, x'00' AS seal FROM r",
    "verdicts is an endless view": f"DROP TABLE verdicts; CREATE VIEW verdicts AS {_ENDLESS} "
    "SELECT x'00' AS key, 'interesting' AS verdict, 0 AS seconds, 0 AS exit_code, 0 AS timed_out, "
    "1 AS yes, 1 AS runs, x'00' AS seal FROM r",
    "tally is an endless view": f"DROP TABLE IF EXISTS tally; CREATE VIEW tally AS {_ENDLESS} "
    "SELECT n AS one, '' AS value, x'00' AS seal FROM r",
    "a trigger without end": "CREATE TRIGGER t AFTER INSERT ON verdicts BEGIN INSERT INTO tally "
    f"SELECT * FROM ({_ENDLESS} SELECT n, '', '' FROM r); END",
    "a trigger on the facts": "CREATE TRIGGER t AFTER INSERT ON about BEGIN DELETE FROM accepted; "
    "END",
    "a generated column": "DROP TABLE tally; CREATE TABLE tally (one INTEGER PRIMARY KEY, "
    "value TEXT AS (hex(zeroblob(400000000))), seal BLOB)",
    "an index on an expression": "CREATE INDEX i ON accepted (hex(delta))",
    "a check": "DROP TABLE tally; CREATE TABLE tally (one, value CHECK (value = 'x'), seal)",
    "no table": "DROP TABLE accepted",
    "other columns": "DROP TABLE verdicts; CREATE TABLE verdicts (a, b)",
    "another version": "PRAGMA user_version = 99",
    "many tables": "; ".join(f"CREATE TABLE t{n} (a)" for n in range(2000)),
    "UTF-16": "PRAGMA encoding = 'UTF-16'; CREATE TABLE more (a)",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5 (a)",
}


def _schema(store: sqlite3.Connection, _: Path, rng: random.Random) -> None:
    """Give the journal another schema, or another page size, or facts that are nested deep."""
    kind = rng.choice((*SCHEMAS, "page size", "nested"))
    if kind == "page size":
        store.executescript(
            f"PRAGMA journal_mode = DELETE; PRAGMA page_size = {512 << rng.randrange(8)}; VACUUM"
        )
    elif kind == "nested":
        deep = "[" * 100_000 + "]" * 100_000
        text = rng.choice((deep, f'{{"sessions": {deep}}}'))
        store.execute("REPLACE INTO about VALUES (?, ?, ?)", schema.sealed("about", 1, text))
    else:
        store.executescript(SCHEMAS[kind])


ATTACKS: dict[str, Attack] = {
    "a damaged journal": our_own,
    "a stranger's journal, damaged": stranger(_damaged),
    "a stranger's journal with facts of other types": stranger(_facts),
    "a stranger's journal that lies": stranger(_lies),
    "a stranger's journal with twelve gigabytes in 400 KB": stranger(_huge),
    "a stranger's journal with another schema": stranger(_schema),
}
