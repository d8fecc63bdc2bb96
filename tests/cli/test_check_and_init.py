"""`nubbin check` and `nubbin init` as a person calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from terminals import Shell

Script = Callable[..., Path]


def nubbin(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nubbin", *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_test_that_can_be_trusted(script: Script, letters: Path) -> None:
    told = nubbin("check", script("grep -q q letters.txt"), letters, cwd=letters.parent)
    assert (told.returncode, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert lines[0].startswith("fine     A run takes")
    assert (
        lines[-1] == "The test can be trusted, with the doubts above."
    )  # its bytes may be shuffled


def test_a_test_that_cannot(script: Script, letters: Path) -> None:
    test = script("true")
    told = nubbin("check", test, letters, cwd=letters.parent)
    assert told.returncode == 1
    assert "problem  " in told.stdout
    assert told.stdout.endswith("\nThe test cannot be trusted.\n")
    told = nubbin("check", "--json", test, letters, cwd=letters.parent)
    found = [json.loads(line) for line in told.stdout.splitlines()]
    assert [each["check"] for each in found] == ["limits", "empty-input"]
    assert found[1]["level"] == "problem"


def test_what_cannot_even_be_run(letters: Path) -> None:
    told = nubbin("check", "--json", "nothing.sh", letters, cwd=letters.parent)
    only = json.loads(told.stdout)
    assert (told.returncode, only["event"], only["check"]) == (1, "finding", "start")
    assert "There is no test at" in only["text"]
    assert nubbin("check", letters, cwd=letters.parent).returncode == 2


def test_the_wrong_way_round(script: Script, letters: Path) -> None:
    told = nubbin("check", letters, script("true"), cwd=letters.parent)
    assert told.returncode == 1
    assert "nubbin check" in told.stderr


def test_init_learns_and_writes_what_reduces(letters: Path) -> None:
    letters.write_text("p\nq\nr\n")
    line = "if grep q; then echo error: bad letter; exit 4; fi; cat >/dev/null; : {}"
    made = nubbin("init", "--run", line, "letters.txt", cwd=letters.parent)
    assert made.stdout == (
        f"nubbin reduce --run '{line}' --exits 4 --prints 'error: bad letter' "
        "--known-errors 'bad letter' letters.txt\n"
    )
    written = nubbin("init", "--run", line, "letters.txt", "-o", "my test.py", cwd=letters.parent)
    assert written.stdout == "nubbin reduce 'my test.py' letters.txt\n"
    assert nubbin("reduce", "my test.py", "letters.txt", cwd=letters.parent).returncode == 0
    assert letters.with_name("letters.reduced.txt").read_text() == "q"


def test_init_replaces_no_file_unasked(letters: Path) -> None:
    script = letters.with_name("test.py")
    script.write_text("mine")
    ask = ("init", "--run", "cat", "--prints", "q", "letters.txt", "-o")
    refused = nubbin(*ask, "test.py", cwd=letters.parent)
    assert (refused.returncode, script.read_text()) == (1, "mine")
    assert "exists already" in refused.stderr
    own = nubbin(*ask, "letters.txt", "--force", cwd=letters.parent)
    assert (own.returncode, letters.read_text()[:2]) == (1, "a\n")
    assert nubbin(*ask, "test.py", "--force", cwd=letters.parent).returncode == 0
    assert script.read_text().startswith("#!/usr/bin/env python3")


def test_init_writes_through_no_link(letters: Path) -> None:
    elsewhere, link = letters.with_name("elsewhere"), letters.with_name("test.py")
    elsewhere.write_text("mine")
    link.symlink_to(elsewhere)
    ask = ("init", "--run", "cat", "--prints", "q", "letters.txt", "-o", "test.py", "--force")
    refused = nubbin(*ask, cwd=letters.parent)
    assert (refused.returncode, elsewhere.read_text()) == (1, "mine")
    assert f"test.py cannot be written: it is a link, to {elsewhere}" in " ".join(
        refused.stderr.split()
    )


def test_init_writes_no_script_into_the_input(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_text("q")
    ask = ("init", "--run", "cat {}/file", "--prints", "q", "folder", "-o", "folder/test.py")
    refused = nubbin(*ask, cwd=tmp_path)
    assert (refused.returncode, "would be part of it" in refused.stderr) == (1, True)
    assert [path.name for path in folder.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["init"],
        ["init", "--run", "cat"],
        ["init", "--run", "cat", "--exits", "x", "a"],
        ["init", "--run", "cat", "--prints", "q", "letters.txt", "-o", "-"],
    ],
)
def test_a_wrong_command_line(letters: Path, arguments: list[str]) -> None:
    told = nubbin(*arguments, cwd=letters.parent)
    assert (told.returncode, told.stdout) == (2, "")


def test_init_asks_in_a_terminal(letters: Path) -> None:
    with Shell(letters.parent) as shell:
        shell.enter(f"{shell.nubbin} init\n")
        for question, answer in (
            (b"reduce: ", "letters.txt"),
            (b"file): ", "cat"),
            (b"Number [1]: ", "2"),
            (b"for that: ", "^q"),
            (b"line): ", ""),
        ):
            shell.until(question)
            shell.enter(f"{answer}\n")
        shell.until(b"nubbin reduce --run 'cat {}' --prints '^q' letters.txt")
