"""Whatever is damaged in the record of a run, there is never another result, nor a traceback."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from examples import mostly_nightly
from journal.damage import (
    COLUMNS,
    TEXT,
    WAYS,
    Scene,
    Value,
    damage_value,
    flip,
    flipped,
    make_scene,
    nubbin,
)
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.journal import schema
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import ListedRun, RecordedRun, runs_in
from nubbin_core.errors import NubbinError


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return make_scene(tmp_path_factory.mktemp("killed"), killed=True)


@pytest.fixture(scope="module")
def done_once(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return make_scene(tmp_path_factory.mktemp("done"), killed=False)


@pytest.fixture
def killed(killed_once: Scene) -> Scene:
    killed_once.reset()
    return killed_once


@pytest.fixture
def done(done_once: Scene) -> Scene:
    done_once.reset()
    return done_once


@pytest.mark.parametrize("way", mostly_nightly(WAYS, [flipped]))
@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]]
)
def test_a_damaged_value_is_seen(
    killed: Scene, table: str, column: str, way: Callable[[Value], Value]
) -> None:
    changed = damage_value(killed.journal, table, column, way)
    restored, resumed = killed.check()
    if table in ("verdicts", "tally"):  # asked, and counted, again
        assert (restored, resumed) == (0, 0)
    elif changed:
        assert resumed == 1
        assert restored == (table == "accepted")


@pytest.mark.parametrize("seed", mostly_nightly(range(12), [0]))
def test_flipped_bits_of_the_file(killed: Scene, done: Scene, seed: int) -> None:
    rng = random.Random(seed)
    for scene, name in (
        (killed, "journal.sqlite"),
        (killed, "journal.sqlite-wal"),
        (done, "journal.sqlite"),
    ):
        scene.reset()
        bits = [rng.randrange(1 << 40) for _ in range(rng.choice([1, 3, 20]))]
        flip(scene.run / name, bits)
        nubbin("verify", scene.run)
        scene.check()


@pytest.mark.parametrize("text", [b"T\xa0BLE verdicts", b"TA\x1bLE verdicts", b"TABLE \0erdicts"])
def test_damaged_definitions_of_tables(done: Scene, text: bytes) -> None:
    data = done.journal.read_bytes()
    assert data.count(b"TABLE verdicts") == 1
    done.journal.write_bytes(data.replace(b"TABLE verdicts", text))
    with pytest.raises(NubbinError, match="cannot be read") as told:
        Journal(done.run)
    assert str(told.value).isprintable()
    done.check()


@pytest.mark.parametrize("part", mostly_nightly([0, 1, 99, 4096, 0.5, 0.9], [0, 0.5]))
@pytest.mark.parametrize("name", ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"])
def test_a_shorter_file(killed: Scene, name: str, part: float) -> None:
    place = killed.run / name
    os.truncate(place, int(part * place.stat().st_size) if 0 < part < 1 else int(part))
    killed.check()


def test_a_log_that_is_gone_is_missed(killed: Scene) -> None:
    shutil.rmtree(killed.run / "best", ignore_errors=True)
    (killed.run / "journal.sqlite-wal").unlink()
    assert killed.check() == [1, 1]
    with pytest.raises(NubbinError, match=r"candidate \d+, which was accepted, is missing"):
        RecordedRun.open(killed.run)


@pytest.mark.parametrize("table", COLUMNS)
def test_a_table_that_is_gone(killed: Scene, table: str) -> None:
    with closing(sqlite3.connect(killed.journal)) as store:
        store.execute(f"DROP TABLE {table}")
    assert killed.check()[1] == 1


@pytest.mark.parametrize("which", ["first", "middle", "last"])
def test_a_row_that_is_gone(killed: Scene, which: str) -> None:
    last = RecordedRun.open(killed.run).steps[-1].number
    number = {"first": 1, "middle": last // 2, "last": last}[which]
    with closing(sqlite3.connect(killed.journal)) as store:
        store.execute("DELETE FROM accepted WHERE number = ?", (number,))
        store.commit()
    assert killed.check() == [1, 1]
    with pytest.raises(NubbinError, match=f"candidate {number}.* is missing") as told:
        RecordedRun.open(killed.run)
    assert (f"show {killed.run} {number - 1} -o PATH" in str(told.value)) == (number > 1)


def test_what_can_be_saved_is_said_and_can(killed: Scene) -> None:
    before = RecordedRun.open(killed.run).steps
    damage_value(killed.journal, "accepted", "delta", WAYS[1])
    with pytest.raises(NubbinError, match=r"candidates up to number (\d+) are whole") as told:
        Journal(killed.run)
    number = str(told.value).partition("up to number ")[2].split()[0]
    back = killed.folder / "back"
    assert nubbin("show", killed.run, number, "-o", back) == 0
    assert len(back.read_bytes()) == before[int(number) - 1].bytes
    assert nubbin("show", killed.run, str(int(number) + 1), "-o", killed.folder / "next") == 1
    (listed,) = listed_in(killed)
    assert (listed.state, listed.resumable) == ("damaged", True)


def listed_in(scene: Scene) -> list[ListedRun]:
    (scene.folder / ".nubbin").mkdir()
    scene.run.rename(scene.folder / ".nubbin" / "run")
    return runs_in(scene.folder)


def test_a_run_without_its_facts_still_has_its_candidates(killed: Scene) -> None:
    damage_value(killed.journal, "about", "value", WAYS[1])
    assert nubbin("show", killed.run, "1", "-o", killed.folder / "first.txt") == 0
    assert (killed.folder / "first.txt").read_bytes() == TEXT


def put_link(place: Path) -> None:
    place.symlink_to(place.with_name("nowhere"))


def put_text(place: Path) -> None:
    place.write_bytes(b"garbage" * 1000)


@pytest.mark.parametrize("put", [Path.mkdir, Path.touch, os.mkfifo, put_link, put_text])
@pytest.mark.parametrize(
    "name", ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-journal", "lock", "accepted"]
)
def test_something_else_of_that_name(done: Scene, name: str, put: Callable[[Path], None]) -> None:
    (done.run / name).unlink(missing_ok=True)
    put(done.run / name)
    restored, resumed = done.check()
    if name == "journal.sqlite":
        assert (restored, resumed) == (1, 1)


def test_a_journal_that_is_a_link_is_read_and_not_written_to(done: Scene) -> None:
    done.journal.rename(done.folder / "elsewhere")
    done.journal.symlink_to(done.folder / "elsewhere")
    before = (done.folder / "elsewhere").read_bytes()
    assert done.check() == [0, 1]
    assert (done.folder / "elsewhere").read_bytes() == before


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("value", "{}"),
        ("value", '{"name": 3}'),
        ("value", '{"name": "in.txt", "root": 1, "target": [], "test": {}}'),
        ("delta", b""),
        ("delta", b"\0" * 7 + b"\2[]nothing"),
        ("delta", b"\0" * 7 + b"\x0b[0,0,{}]" + b"  nothing"),
    ],
)
def test_what_nubbin_would_not_have_written(done: Scene, column: str, value: str | bytes) -> None:
    with closing(sqlite3.connect(done.journal)) as store:
        if column == "value":
            store.execute(
                "UPDATE about SET value = ?, seal = ?", schema.sealed("about", 1, value)[1:]
            )
        else:
            (*row, _, _) = store.execute("SELECT * FROM accepted WHERE number = 2").fetchone()
            store.execute(
                "UPDATE accepted SET delta = ?, seal = ? WHERE number = 2",
                schema.sealed("accepted", *row, value)[-2:],
            )
        store.commit()
    assert done.check()[1] == 1


def test_no_candidate_is_written_outside_of_its_place(done: Scene, tmp_path: Path) -> None:
    escaping = Document("in.txt", (File("in.txt/../../escaped", b"x"),))
    with Journal(done.run) as journal:
        journal.accept(escaping.key, escaping.contents, 1, "")
    (tmp_path / "deep").mkdir()
    assert nubbin("show", done.run, "-o", tmp_path / "deep/place") == 1
    assert not list(tmp_path.rglob("escaped"))
