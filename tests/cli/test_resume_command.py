"""The recorded run, as a person goes back to it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from nubbin.cli import main
from nubbin.disk import Folder
from nubbin.journal.run_folders import hold

Script = Callable[..., Path]


def nubbin(*arguments: str | Path) -> Result:
    told = CliRunner().invoke(main, [*map(str, arguments)])
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    assert "Traceback" not in told.stderr
    return told


def name_of(line: str) -> str:
    """Return the name of the run in a line of `nubbin log`."""
    return line.split(maxsplit=1)[0]


def test_stop_list_go_on_verify(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    test = script("grep -q e letters.txt")
    stopped = nubbin("reduce", "--max-queries", "2", test, letters)
    assert stopped.exit_code == 0
    assert "continue with: nubbin resume" in stopped.stderr
    run = name_of(nubbin("log").stdout.splitlines()[1])
    assert "stopped by --max-queries" in nubbin("log").stdout
    done = nubbin("resume")
    assert done.exit_code == 0
    assert letters.with_name("letters.reduced.txt").read_text() == "e"
    assert " done " in nubbin("log").stdout
    assert "1 of 1" in nubbin("verify", run).stdout
    letters.with_name("letters.reduced.txt").write_text("changed")
    changed = nubbin("verify", run)
    assert (changed.exit_code, "as the run left it: NO" in changed.stdout) == (1, True)


def test_log_and_show(script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(letters.parent)
    test = script("grep -q e letters.txt")
    nubbin("reduce", test, letters)
    run = name_of(nubbin("log").stdout.splitlines()[1])
    told = nubbin("log", run).stdout
    assert f"input: {letters}\ntest: {test}, " in told
    assert "\noptions: none\n" in told
    listed = [line.split() for line in told.splitlines() if line[0] == " "]
    assert listed[0] == ["1", "52", "bytes", "the", "input"]
    assert listed[1][3:5] == ["nested", "lines,"]
    assert listed[-1][1] == "1"
    assert nubbin("show", run, listed[1][0], "-o", "second.txt").exit_code == 0
    assert len(Path("second.txt").read_bytes()) == int(listed[1][1])
    assert nubbin("show", run, "-o", "best.txt").exit_code == 0
    assert Path("best.txt").read_text() == "e"
    assert "already" in nubbin("show", run, "-o", "best.txt").stderr
    assert "no recorded run" in nubbin("log", "nowhere").stderr
    assert "no recorded run" in nubbin("show", "nowhere", "-o", "any.txt").stderr


def test_the_last_run_is_meant_by_default(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    script("grep -q e letters.txt")
    first, last = Path("first"), Path(".nubbin/last")
    nubbin("reduce", "--run-dir", ".nubbin/other", "test.sh", letters)
    script("grep -q t letters.txt")
    nubbin("reduce", "-a", "ddmin", "--run-dir", last, "test.sh", letters)
    told = nubbin("log", "last").stdout
    assert told == nubbin("log", last).stdout
    assert "\noptions: --algorithm ddmin\n" in told
    assert nubbin("show").stdout == nubbin("show", "last", "-o", "-").stdout == "t"
    assert nubbin("verify").exit_code == 0
    assert nubbin("show", "-o", first).exit_code == 0
    assert first.read_text() == "t"
    assert nubbin("show", "1", "-o", "input").exit_code == 0
    assert Path("input").read_bytes() == letters.read_bytes()
    assert nubbin("show", "other", "-o", "others").exit_code == 0
    assert Path("others").read_text() == "e"
    assert nubbin("show", "other", "1", "-o", "again").exit_code == 0
    assert Path("again").read_bytes() == letters.read_bytes()


def test_json_of_what_was_recorded(
    script: Script, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(letters.parent)
    nubbin("reduce", script("grep -q e letters.txt"), letters)

    def shown(*words: str | Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in nubbin(*words, "--json").stdout.splitlines()]

    (run,) = shown("log")
    assert (run["event"], run["state"], run["before"], run["after"]) == ("run", "fixpoint", 52, 1)
    steps = shown("log", "last")
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    assert (steps[0]["bytes"], steps[0]["pass_name"], steps[-1]["bytes"]) == (52, "", 1)
    (proof,) = shown("verify", run["folder"])
    assert (proof["event"], proof["interesting"], proof["refused"]) == ("verification", True, 1)
    assert shown("show") == [{"event": "candidate", "output": None, "files": {"letters.txt": "e"}}]
    assert shown("show", "1", "-o", "x")[0]["output"] == "x"
    assert shown("watch", "last") == [run]
    (page,) = shown("report", "last", "--markdown")
    assert (page["event"], page["output"], "letters.txt" in page["text"]) == ("report", None, True)
    assert shown("report", "-o", "page.html")[0]["output"] == str(letters.with_name("page.html"))
    (line,) = shown("init", "--run", "grep -q e", "--exits", "0", letters)
    assert line["line"].startswith("nubbin reduce --run 'grep -q e {}' --exits 0")
    (error,) = shown("verify", "nowhere")
    assert (error["event"], error["exit_code"]) == ("error", 1)
    letters.with_name("letters.reduced.txt").write_text("changed")
    changed = nubbin("verify", "--json")
    assert (changed.exit_code, json.loads(changed.stdout)["unchanged"]) == (1, False)


@pytest.mark.parametrize("command", [*main.commands, "nosuch"])
def test_a_wrong_command_line_is_told_as_json_by_every_command(command: str) -> None:
    told = nubbin(command, "--json", "--nothing")
    error = json.loads(told.stdout)
    assert (told.exit_code, error["event"], error["exit_code"]) == (2, "error", 2)
    assert told.stderr == ""
    assert "No such" in error["message"]


def test_json_that_a_tested_command_gets_is_not_for_nubbin() -> None:
    told = nubbin("reduce", "--nothing", "a.c", "--", "tool", "--json")
    assert (told.exit_code, told.stdout) == (2, "")
    assert "No such option" in told.stderr


@pytest.mark.parametrize("which", [["0"], ["last", "0"], ["last", "few"], ["1", "2", "3"]])
def test_what_is_no_run_and_number(tmp_path: Path, which: list[str]) -> None:
    told = nubbin("show", *which, "-o", tmp_path / "any")
    assert told.exit_code == 2
    assert not (tmp_path / "any").exists()


def test_a_folder_without_runs_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    told = nubbin("log", tmp_path / "folder")
    assert (told.exit_code, told.stdout) == (1, "")
    assert "no recorded run" in told.stderr
    told = nubbin("log", tmp_path / "nowhere")
    assert told.exit_code == 1
    assert "no recorded run" in told.stderr


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
    assert "no recorded run" in nubbin("log").stderr
    assert "no recorded run" in nubbin("show", "-o", "any").stderr
    assert nubbin("log").stdout == ""
