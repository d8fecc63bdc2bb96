"""What somebody else has recorded is looked at, and used only if it is trusted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import nubbin as library
from nubbin.cli import main
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
    assert told.exit_code == 0
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
    told = nubbin("restore", run, "1", "-o", "restored")
    assert (told.exit_code, "--trust" in told.stderr) == (1, True)
    with pytest.raises(library.NubbinError, match="--trust"):
        library.resume(run)
    assert (owned.exists(), Path("restored").exists(), result.read_bytes()) == (False, False, left)
    looks: list[list[str | Path]]
    looks = [["runs"], ["history", run], ["report", run, "-o", "page.html"], ["watch", run]]
    for words in looks:
        assert nubbin(*words).exit_code == 0

    assert nubbin("restore", "--trust", run, "1", "-o", "restored").exit_code == 0
    assert Path("restored").read_bytes() == numbers.read_bytes()
    told = nubbin("resume", "--trust", run)
    assert told.exit_code == 0
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
    assert told.exit_code == 0
    told = nubbin("resume")
    assert (told.exit_code, "no run here that can go on" in told.stderr) == (1, True)
    assert nubbin("verify", mine).exit_code == 0


def test_the_run_of_somebody_else_does_not_give_up_a_file_of_ones_own(
    numbers: Path, tmp_path: Path
) -> None:
    record(numbers, tmp_path / "theirs", owned=tmp_path / "owned")
    result = tmp_path / "numbers.reduced.txt"
    left = result.read_bytes()  # which their journal has as their result
    told = nubbin("reduce", "-q", "--run", "grep -qx 42", "--exits", "0", numbers)
    assert (told.exit_code, result.read_bytes()) == (1, left)
    assert "not the result of a recorded run" in told.stderr


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
        assert nubbin("restore", "-o", "restored").exit_code == 1
        assert not (owned.exists() or Path("restored").exists())
