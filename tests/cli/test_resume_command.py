"""The recorded run, as a person goes back to it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nubbin.cli import main
from nubbin.disk import Folder
from nubbin.journal.lock import hold

Script = Callable[..., Path]


def nubbin(*arguments: str | Path) -> Result:
    told = CliRunner().invoke(main, [*map(str, arguments)])
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    assert "Traceback" not in told.stderr
    return told


def name_of(line: str) -> str:
    """Return the name of the run in a line of `nubbin runs`."""
    return line.split(maxsplit=1)[0]


def test_stop_list_go_on_verify(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    test = script("grep -q e letters.txt")
    stopped = nubbin("reduce", "--max-queries", "2", test, letters)
    assert stopped.exit_code == 0
    assert "go on with: nubbin resume" in stopped.stderr
    run = name_of(nubbin("runs").stdout.splitlines()[1])
    assert "stopped by --max-queries" in nubbin("runs").stdout
    done = nubbin("resume")
    assert done.exit_code == 0
    assert letters.with_name("letters.reduced.txt").read_text() == "e"
    assert " done " in nubbin("runs").stdout
    assert "1 of 1" in nubbin("verify", run).stdout
    letters.with_name("letters.reduced.txt").write_text("changed")
    changed = nubbin("verify", run)
    assert (changed.exit_code, "as the run left it: NO" in changed.stdout) == (1, True)


def test_history_and_restore(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    test = script("grep -q e letters.txt")
    nubbin("reduce", test, letters)
    run = name_of(nubbin("runs").stdout.splitlines()[1])
    told = nubbin("history", run).stdout
    assert f"input: {letters}\ntest: {test}, " in told
    assert " algorithm=auto " in told
    listed = [line.split() for line in told.splitlines() if line[0] == " "]
    assert listed[0] == ["1", "52", "bytes", "the", "input"]
    assert listed[1][3:5] == ["nested", "lines,"]
    assert listed[-1][1] == "1"
    assert nubbin("restore", run, listed[1][0], "-o", "second.txt").exit_code == 0
    assert len(Path("second.txt").read_bytes()) == int(listed[1][1])
    assert nubbin("restore", run, "-o", "best.txt").exit_code == 0
    assert Path("best.txt").read_text() == "e"
    assert "already" in nubbin("restore", run, "-o", "best.txt").stderr
    assert "no recorded run" in nubbin("history", "nowhere").stderr
    assert "no recorded run" in nubbin("restore", "nowhere", "-o", "any.txt").stderr


def test_the_last_run_is_meant_by_default(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    script("grep -q e letters.txt")
    first, last = Path("first"), Path(".nubbin/last")
    nubbin("reduce", "--run-dir", ".nubbin/other", "test.sh", letters)
    script("grep -q t letters.txt")
    nubbin("reduce", "-a", "ddmin", "--run-dir", last, "test.sh", letters)
    told = nubbin("history").stdout
    assert told == nubbin("history", last).stdout == nubbin("history", "last").stdout
    assert " algorithm=ddmin " in told
    assert nubbin("verify").exit_code == 0
    assert nubbin("restore", "-o", first).exit_code == 0
    assert first.read_text() == "t"
    assert nubbin("restore", "1", "-o", "input").exit_code == 0
    assert Path("input").read_bytes() == letters.read_bytes()
    assert nubbin("restore", "other", "-o", "others").exit_code == 0
    assert Path("others").read_text() == "e"
    assert nubbin("restore", "other", "1", "-o", "again").exit_code == 0
    assert Path("again").read_bytes() == letters.read_bytes()


@pytest.mark.parametrize("which", [["0"], ["last", "0"], ["last", "few"], ["1", "2", "3"]])
def test_what_is_no_run_and_number(tmp_path: Path, which: list[str]) -> None:
    told = nubbin("restore", *which, "-o", tmp_path / "any")
    assert told.exit_code == 2
    assert not (tmp_path / "any").exists()


def test_a_folder_without_runs_is_no_error_and_one_that_is_not_there_is(tmp_path: Path) -> None:
    told = nubbin("runs", tmp_path)
    assert (told.exit_code, told.stdout) == (0, "")
    assert "no recorded run" in told.stderr
    told = nubbin("runs", tmp_path / "nowhere")
    assert told.exit_code == 2
    assert "does not exist" in told.stderr


def test_a_run_that_is_under_way_is_told_as_one(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    nubbin("reduce", "--max-queries", "2", script("grep -q e letters.txt"), letters)
    (run,) = Path(".nubbin").iterdir()
    held = hold(Folder(run))
    try:
        told = nubbin("resume")
    finally:
        os.close(held)
    assert told.exit_code == 1
    assert f"The run in {run} is under way in another process" in " ".join(told.stderr.split())
    assert nubbin("resume").exit_code == 0


def test_nothing_to_go_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no run here" in nubbin("resume").stderr
    assert "no recorded run" in nubbin("resume", "nowhere").stderr
    assert "no recorded run" in nubbin("verify", "nowhere").stderr
    assert "no recorded run" in nubbin("verify").stderr
    assert "no recorded run" in nubbin("history").stderr
    assert "no recorded run" in nubbin("restore", "-o", "any").stderr
    assert nubbin("runs").stdout == ""
