"""The recorded run, as a person goes back to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nubbin.cli import main

Script = Callable[..., Path]


def nubbin(*arguments: str | Path) -> Result:
    told = CliRunner().invoke(main, [*map(str, arguments)])
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    assert "Traceback" not in told.stderr
    return told


def test_stop_list_go_on_verify(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    test = script("grep -q e letters.txt")
    stopped = nubbin("reduce", "--max-queries", "2", test, letters)
    assert stopped.exit_code == 0
    assert "go on with: nubbin resume" in stopped.stderr
    listed = nubbin("runs").stdout
    assert " stopped by --max-queries " in listed
    name = listed.splitlines()[1].split()[0]
    done = nubbin("resume")
    assert done.exit_code == 0
    assert letters.with_name("letters.reduced.txt").read_text() == "e"
    assert " done " in nubbin("runs").stdout
    assert "1 of 1" in nubbin("verify", name).stdout
    letters.with_name("letters.reduced.txt").write_text("changed")
    changed = nubbin("verify", name)
    assert (changed.exit_code, "as the run left it: NO" in changed.stdout) == (1, True)


def test_history_and_restore(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    test = script("grep -q e letters.txt")
    nubbin("reduce", test, letters)
    run = nubbin("runs").stdout.splitlines()[1].split()[0]
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


def test_nothing_to_go_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no run here" in nubbin("resume").stderr
    assert "no recorded run" in nubbin("resume", "nowhere").stderr
    assert "no recorded run" in nubbin("verify", "nowhere").stderr
    assert nubbin("runs").stdout == ""
