"""What somebody else has recorded is looked at, and used only if it is trusted."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import nubbin as library
from nubbin.cli import main
from nubbin.journal.schema import sealed
from strangers import NOBODY, folder_for_all, needs_root

Script = Callable[..., Path]


def nubbin(*arguments: str | Path) -> Result:
    told = CliRunner().invoke(main, [*map(str, arguments)])
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    return told


def record(input: Path, key: Path, *, owned: Path) -> Path:
    """Record a run, as a user with this key, whose command leaves a file; return its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(key))
        line = f"touch {owned}; grep -qx 42"
        told = nubbin("reduce", "-q", "--max-queries", "3", "--run", line, "--exits", "0", input)
    assert told.exit_code == 0, told.output
    owned.unlink()
    return max((input.parent / ".nubbin").iterdir(), key=lambda run: run.stat().st_mtime)


@pytest.fixture
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "numbers.txt"
    path.write_text("\n".join(map(str, range(99))))
    return path


def test_a_run_that_was_sent_is_used_if_it_is_trusted(numbers: Path, tmp_path: Path) -> None:
    owned = tmp_path / "owned"
    run = record(numbers, tmp_path / "theirs", owned=owned)
    result = tmp_path / "numbers.reduced.txt"
    left = result.read_bytes()
    refused: list[list[str | Path]]
    refused = [["resume", run], ["resume", "--from", "1", run], ["verify", run]]
    for words in refused:
        told = nubbin(*words)
        assert (told.exit_code, told.stdout) == (1, "")
        assert "is not known to be yours. It does not bear the mark of your key" in told.stderr
    told = nubbin("show", run, "1", "-o", "restored")
    assert (told.exit_code, "--trust" in told.stderr) == (1, True)
    with pytest.raises(library.NubbinError, match="--trust"):
        library.resume(run)
    assert (owned.exists(), Path("restored").exists(), result.read_bytes()) == (False, False, left)
    looks: list[list[str | Path]]
    looks = [["log"], ["log", run], ["report", run, "-o", "page.html"], ["watch", run]]
    for words in looks:
        assert nubbin(*words).exit_code == 0

    assert nubbin("show", "--trust", run, "1", "-o", "restored").exit_code == 0
    assert Path("restored").read_bytes() == numbers.read_bytes()
    told = nubbin("resume", "--trust", run)
    assert told.exit_code == 0, told.output
    first, second, third, *_ = told.stderr.splitlines()
    assert f"executes nubbin reduce --run 'touch {owned}; grep -qx 42 {{}}'" in first
    assert (f"in       {tmp_path}" in second, f"writes   {result}" in third) == (True, True)
    assert (owned.exists(), result.read_text()) == (True, "42")
    assert nubbin("verify", run).exit_code == 0  # from now on it is one's own


def test_the_last_unfinished_run_is_one_of_ones_own(numbers: Path, tmp_path: Path) -> None:
    owned = tmp_path / "owned"
    mine = record(numbers, Path(os.environ["XDG_STATE_HOME"]), owned=owned)
    result = tmp_path / "numbers.reduced.txt"
    result.unlink()
    theirs = record(numbers, tmp_path / "theirs", owned=owned)
    result.unlink()
    told = nubbin("resume")
    assert f"left out: The run in {theirs.relative_to(tmp_path)} is not known" in told.stderr
    assert told.exit_code == 0, told.output
    told = nubbin("resume")
    assert (told.exit_code, "no run here that can continue" in told.stderr) == (1, True)
    assert nubbin("verify", mine).exit_code == 0


def test_a_result_is_replaced_whoever_recorded_it_because_the_run_has_each_byte(
    numbers: Path, tmp_path: Path
) -> None:
    """As by a container that is thrown away with its key, twice."""
    run = record(numbers, tmp_path / "theirs", owned=tmp_path / "owned")
    result = tmp_path / "numbers.reduced.txt"
    left = result.read_bytes()
    reduce: list[str | Path]
    reduce = ["reduce", "-q", "--run", "grep -qx 42", "--exits", "0", numbers]
    assert nubbin(*reduce).exit_code == 0
    assert result.read_text() == "42"
    assert nubbin("show", "--trust", run, "-o", "restored").exit_code == 0
    assert Path("restored").read_bytes() == left


def claims_what_it_does_not_have(run: Path) -> None:
    with closing(sqlite3.connect(run / "journal.sqlite")) as store:
        rows = store.execute("SELECT * FROM accepted ORDER BY number").fetchall()
        row = [*rows[-1][:-1]]
        row[6] = rows[0][6]  # other bytes than those of its key
        store.execute("DELETE FROM accepted WHERE number = ?", row[:1])
        store.execute(
            "INSERT INTO accepted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", sealed("accepted", *row)
        )
        store.commit()


def all_may_write_to_it(run: Path) -> None:
    run.chmod(0o777)


@pytest.mark.parametrize("change", [claims_what_it_does_not_have, all_may_write_to_it])
def test_a_run_that_does_not_have_the_bytes_gives_up_no_file_of_ones_own(
    numbers: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    change(record(numbers, tmp_path / "theirs", owned=tmp_path / "owned"))
    result = tmp_path / "numbers.reduced.txt"
    left = result.read_bytes()
    told = nubbin("reduce", "-q", "--run", "grep -qx 42", "--exits", "0", numbers)
    assert (told.exit_code, result.read_bytes()) == (1, left)
    assert "is not a result of nubbin" in told.stderr


@pytest.mark.usefixtures("numbers")
def test_a_readable_copy_is_replaced_only_by_ones_own_mark(tmp_path: Path) -> None:
    """The journal has no more than its key."""
    source = tmp_path / "x.js"
    source.write_text("one;\nfunction f() {a;b;}\ntwo;\n")
    line = "tr -d ' \n' <{} | grep -q '{a;b;}'"
    reduce: list[str | Path]
    reduce = ["reduce", "-q", "--pretty", "--run", line, "--exits", "0", source]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
        assert nubbin(*reduce).exit_code == nubbin(*reduce).exit_code == 0
    told = nubbin(*reduce)
    assert (told.exit_code, "x.reduced.pretty.js already" in told.stderr) == (1, True)


@pytest.mark.parametrize("where", [".nubbin", "named"])
@pytest.mark.parametrize("what", ["open to all", "recorded"])
def test_what_cannot_be_recorded_is_refused_before_the_test_runs(
    numbers: Path, tmp_path: Path, where: str, what: str
) -> None:
    folder, owned = tmp_path / where, tmp_path / "owned"
    folder.mkdir()
    if what == "open to all":
        (folder / "notes").touch()
        folder.chmod(0o777)
    elif where == "named":
        record(numbers, tmp_path / "key", owned=owned).rename(folder)
        folder = folder / "."
    else:
        folder.rmdir()
        folder.write_text("a file")
    options: list[str | Path] = [] if where == ".nubbin" else ["--run-dir", folder]
    test = ["--run", f"touch {owned}; grep -qx 42", "--exits", "0", "-o", "out"]
    told = nubbin("reduce", "-q", *options, *test, numbers)
    assert told.exit_code == 1
    assert re.search(r"cannot be recorded|not known to be yours|is a recorded run", told.stderr)
    assert not owned.exists()


def test_a_run_without_a_mark_is_told_of(numbers: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file: no key can be made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        told = nubbin("reduce", "--run", "grep -qx 42", "--exits", "0", numbers)
    assert (told.exit_code, "without your mark, so resuming it needs --trust" in told.stderr) == (
        0,
        True,
    )
    told = nubbin("reduce", "--run", "grep -qx 42", "--exits", "0", numbers)
    assert (told.exit_code, "without your mark" in told.stderr) == (0, False)


@needs_root
def test_what_another_user_has_put_there_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with folder_for_all() as folder:
        monkeypatch.chdir(folder)
        numbers, owned = folder / "numbers.txt", folder / "owned"
        numbers.write_text("\n".join(map(str, range(99))))
        run = record(numbers, folder / "theirs", owned=owned)
        for each in (folder / ".nubbin", *(folder / ".nubbin").rglob("*")):
            os.chown(each, NOBODY, NOBODY)
        refused: list[list[str | Path]]
        refused = [["resume"], ["resume", run], ["verify"], ["resume", "--trust", run]]
        for words in refused:
            told = nubbin(*words)
            assert told.exit_code == 1
            assert "belongs to nobody, not to you" in told.stderr
        assert nubbin("show", "-o", "restored").exit_code == 1
        assert not (owned.exists() or Path("restored").exists())
