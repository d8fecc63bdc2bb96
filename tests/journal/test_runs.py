"""Where runs are recorded, and that nothing of anybody's is in the way or lost."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nubbin.documents.document import Document
from nubbin.journal.command_box import CommandBox
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import runs_in
from nubbin.journal.run_facts import DIFFERENT_FAILURES, DifferentFailures
from nubbin.journal.run_folders import check_runs, new_run
from nubbin.oracles.failures.conditions import Ended
from nubbin.report.runs_table import runs_table
from nubbin_core.errors import NubbinError
from strangers import another_user, folder_for_all, needs_root


def test_each_new_run_has_a_folder_of_its_own(tmp_path: Path) -> None:
    made = [new_run(tmp_path, "x.c") for _ in range(30)]
    assert len(set(made)) == 30
    assert all(folder.is_dir() for folder in made)
    assert runs_in(tmp_path) == []


@pytest.mark.parametrize("name", ["lock", "accepted", "best", "other"])
def test_a_run_is_not_recorded_over_the_files_of_somebody_else(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(NubbinError, match=f"something called {name} already"):
        Journal.create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_among_other_files_nothing_of_them_changes(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.o\n")
    Journal.create(tmp_path).close()
    assert (tmp_path / ".gitignore").read_text() == "*.o\n"


def test_git_ignores_a_run(tmp_path: Path) -> None:
    Journal.create(tmp_path / "run").close()
    assert (tmp_path / "run" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("what", ["file", "dangling"])
def test_a_place_for_runs_that_is_none(tmp_path: Path, what: str) -> None:
    place = tmp_path / ".nubbin"
    if what == "file":
        place.touch()
    else:
        place.symlink_to("nowhere")
    with pytest.raises(OSError, match=f"cannot be recorded in {place}"):
        new_run(tmp_path, "x.c")


def test_runs_may_be_kept_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    (tmp_path / ".nubbin").symlink_to("large")
    Journal.create(new_run(tmp_path, "x.c")).close()
    assert len(list((tmp_path / "large").iterdir())) == 1


def test_a_run_of_another_version_is_listed_as_such(tmp_path: Path) -> None:
    run = new_run(tmp_path, "x.c")
    with Journal.create(run) as journal:
        journal.accept(b"key", {"x.c": b"int x;"}, 0, "")
    with closing(sqlite3.connect(run / "journal.sqlite")) as store:
        store.execute("PRAGMA user_version=1")
    (listed,) = runs_in(tmp_path)
    assert (listed.state, listed.resumable) == ("other-version", False)
    assert "of another version of nubbin" in runs_table([listed])[1]


@needs_root
def test_no_run_is_recorded_below_the_folder_of_another_user() -> None:
    with folder_for_all() as folder:
        with another_user():
            (folder / ".nubbin").mkdir()
        with pytest.raises(NubbinError, match=r"\.nubbin belongs to nobody, .* --run-dir"):
            new_run(folder, "x.c")
        assert not list((folder / ".nubbin").iterdir())


@needs_root
def test_the_link_of_another_user_is_not_followed(tmp_path: Path) -> None:
    with folder_for_all() as folder:
        with another_user():
            (folder / ".nubbin").symlink_to(tmp_path)
        with pytest.raises(OSError, match="Not a directory"):
            new_run(folder, "x.c")
        assert not list(tmp_path.iterdir())


def test_no_run_is_recorded_where_others_may_write(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/notes").touch()
    (tmp_path / "run").chmod(0o775)
    for make in (Journal.check, Journal.create):
        with pytest.raises(NubbinError, match=r"written to by others .* Name another folder"):
            make(tmp_path / "run")
    assert [each.name for each in (tmp_path / "run").iterdir()] == ["notes"]


def test_a_place_for_a_run_is_looked_at_and_nothing_is_made(tmp_path: Path) -> None:
    Journal.check(tmp_path / "new/run")
    check_runs(tmp_path)
    assert not list(tmp_path.iterdir())
    with Journal.create(tmp_path / "run") as journal:
        document = Document.single("x.c", b"int x;")
        journal.accept(document.key, document.contents, 0, "")
    with pytest.raises(NubbinError, match="already contains a recorded run"):
        Journal.check(tmp_path / "run")


@needs_root
def test_another_user_neither_reads_nor_locks_a_run() -> None:
    with folder_for_all() as folder:
        (folder / "open").mkdir(mode=0o755)  # by a user who wants to see its names
        for run in (new_run(folder, "x.c"), folder / "open"):
            with Journal.create(run) as journal:
                journal.accept(b"key", {"x.c": b"secret"}, 0, "")
                DifferentFailures(run / DIFFERENT_FAILURES).keep(
                    {"x.c": b"secret"}, Ended(1, b"error")
                )
                CommandBox(run)
                with another_user():
                    files = [run / name for name in ("journal.sqlite", "accepted", "lock")]
                    for file in (
                        *files,
                        run / "journal.sqlite-wal",
                        run / "other",
                        run / "commands",
                    ):
                        with pytest.raises(PermissionError):
                            os.open(file, os.O_RDONLY)
        assert (folder / ".nubbin").stat().st_mode & 0o777 == 0o700
