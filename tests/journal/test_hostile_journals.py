"""A journal may come from anybody: no program in it is run, and it is never larger than it says."""

from __future__ import annotations

import json
import resource
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from faults import interrupted
from journal.damage import nubbin
from nubbin.cli import main
from nubbin.documents.document import Document
from nubbin.journal import schema
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import runs_in
from nubbin_core.errors import NubbinError
from watch.recorded import record

_PAGE_BYTES = 4096
_MEMORY_BYTES = 2 << 30  # of address space, for a process that must not unpack 12 GB
_ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return record(tmp_path / ".nubbin" / "run")


def told_of(run: Path) -> str:
    """Look at a run in every way that must end with a paragraph; return what `history` says."""
    with pytest.raises(NubbinError, match="cannot be read") as told:
        Journal(run)
    for words in (("report", run, "-o", "-"), ("report", run, "--markdown", "-o", "-")):
        assert nubbin(*words) == 1
    for command in ("watch", "resume", "verify"):
        assert nubbin(command, run) == 1
    assert nubbin("show", run, "-o", run / "back") == 1
    (listed,) = runs_in(run.parent.parent)
    assert listed.state == "damaged"
    history = CliRunner().invoke(main, ["log", str(run)])
    assert history.exit_code == 1
    assert str(told.value) in history.stderr
    return str(told.value)


@pytest.mark.parametrize(
    "program",
    [
        f"DROP TABLE about; CREATE VIEW about AS {_ENDLESS} n, '{{}}', n FROM r",
        f"DROP TABLE accepted; CREATE VIEW accepted AS {_ENDLESS} * FROM r",
        f"CREATE VIEW other AS {_ENDLESS} * FROM r",
        "CREATE TRIGGER t AFTER INSERT ON verdicts BEGIN DELETE FROM accepted; END",
        "CREATE TABLE other (one)",
        "CREATE INDEX i ON verdicts (seconds)",
        "ALTER TABLE tally ADD COLUMN more DEFAULT 1",
        "DROP TABLE tally; CREATE TABLE tally (one INTEGER, value TEXT, seal BLOB)",
    ],
)
def test_other_tables_than_ours_are_not_asked(run: Path, program: str) -> None:
    with closing(sqlite3.connect(run / schema.FILE)) as store:
        store.executescript(program)
    assert "its tables are not those that nubbin makes" in told_of(run)


@pytest.mark.parametrize("table", ["about", "accepted", "verdicts", "tally"])
def test_pages_that_name_one_another_without_end(run: Path, table: str) -> None:
    place = run / schema.FILE
    with closing(sqlite3.connect(place)) as store:
        found = store.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
        (root,) = found.fetchone()
    data = bytearray(place.read_bytes())
    top, pages = (root - 1) * _PAGE_BYTES, len(data) // _PAGE_BYTES
    leaf = bytes(data[top : top + _PAGE_BYTES])
    data += leaf
    for below in range(pages + 1, pages + 8):  # the page of this number is the last so far
        data += _above(below, leaf)
    data[top : top + _PAGE_BYTES] = _above(pages + 8, leaf)
    struct.pack_into(">I", data, 28, len(data) // _PAGE_BYTES)
    data[92:96] = data[24:28]  # so that the number of pages counts
    place.write_bytes(data)
    for command in ("log", "watch"):
        nubbin(command, run)
    for command in ("report", "show"):
        nubbin(command, run, "-o", run / command)
    runs_in(run.parent.parent)
    with suppress(NubbinError), Journal(run) as journal:
        assert len(journal.ran()) <= 2


def _above(page: int, leaf: bytes) -> bytes:
    """Return a page of the table of a leaf that names another page a hundred times."""
    made, is_index = bytearray(_PAGE_BYTES), leaf[0] == 10
    (start,) = struct.unpack_from(">H", leaf, 8)
    row = leaf[start : start + 1 + leaf[start]] if is_index else b"\1"
    cell = struct.pack(">I", page) + row
    number = min(100, (_PAGE_BYTES - 12) // (len(cell) + 2))
    end = _PAGE_BYTES
    for each in range(number):
        end -= len(cell)
        made[end : end + len(cell)] = cell
        struct.pack_into(">H", made, 12 + 2 * each, end)
    struct.pack_into(">BHHHBI", made, 0, 2 if is_index else 5, 0, number, end, 0, page)
    return bytes(made)


def test_twelve_gigabytes_in_a_small_file(tmp_path: Path) -> None:
    size = 12 << 30
    data = b"\0" * 1000
    run = record(tmp_path / ".nubbin" / "run", [data])
    head = json.dumps([0, 0, {"input.c": size}]).encode()
    delta = len(head).to_bytes(8, "big") + head + _zeros(size)
    row = (1, Document.single("input.c", data).key, 1.0, 0, "", size, delta)
    with closing(sqlite3.connect(run / schema.FILE)) as store:
        marks = ", ".join("?" * 8)
        store.execute(f"REPLACE INTO accepted VALUES ({marks})", schema.sealed("accepted", *row))
        store.commit()
    assert (run / schema.FILE).stat().st_size < 1 << 20
    for command in ("report", "show"):
        told = subprocess.run(
            [sys.executable, "-m", "nubbin", command, run, "-o", "made"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES,) * 2),
        )
        assert told.stderr.startswith("nubbin: ")
        assert "candidate 1 would have 12,884,901,888 bytes" in told.stderr
    assert [each.before for each in runs_in(tmp_path)] == [size]


def _zeros(size: int) -> bytes:
    """Return a frame of zstandard with so many zeros: a block for each 128 KB, of four bytes."""
    blocks = size >> 17
    block = struct.pack("<I", (1 << 17) << 3 | 1 << 1)[:3] + b"\0"
    last = struct.pack("<I", (1 << 17) << 3 | 1 << 1 | 1)[:3] + b"\0"
    # Eight bytes of size, no window: that is 2^27.
    return (
        b"\x28\xb5\x2f\xfd\xc0"
        + bytes([(27 - 10) << 3])
        + struct.pack("<Q", size)
        + (block * (blocks - 1) + last)
    )


def test_an_interrupt_while_a_journal_is_read_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite swallows what is raised in a function that it calls, and says that it was stopped."""
    monkeypatch.setattr(schema, "_PERIOD_INSTRUCTIONS", 1)
    with closing(sqlite3.connect(":memory:")) as store:

        def work() -> None:
            with schema.bounded(store, tmp_path / "none"):
                store.execute("SELECT 1").fetchall()

        came = [interrupted(work, after, schema.__file__) for after in range(30)]
        assert came[0]
        assert not came[-1]
