"""The Tab key: what click answers to the shell's question, with nubbin's own names in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def asked(variables: dict[str, str], folder: Path) -> str:
    """What `nubbin` prints if these variables are set."""
    return subprocess.run(
        [sys.executable, "-m", "nubbin"],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def completions(words: str, folder: Path) -> list[str]:
    """The completions of the last of some words, of which each is `KIND,TEXT`."""
    last = len(words.split(" ")) - 1
    return asked(
        {"_NUBBIN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(last)},
        folder,
    ).splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str, tmp_path: Path) -> None:
    script = asked({"_NUBBIN_COMPLETE": f"{shell}_source"}, tmp_path)
    assert f"_NUBBIN_COMPLETE={shell}_complete" in script


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "nubbin re",
            {"plain,reduce", "plain,repro", "plain,resume", "plain,report"},
        ),
        ("nubbin reduce --smal", {"plain,--smallest"}),
        ("nubbin reduce --smallest t", {"plain,tree", "plain,token", "plain,tokens"}),
        ("nubbin reduce --algorithm prob", {"plain,probdd", "plain,probdd-no-random"}),
        ("nubbin reduce test", {"file,test"}),
        ("nubbin reduce --python ch", {"file,ch"}),
    ],
)
def test_words_are_completed(words: str, expected: set[str], tmp_path: Path) -> None:
    assert set(completions(words, tmp_path)) == expected


@pytest.mark.parametrize("command", ["resume", "log", "report", "show", "verify"])
def test_names_of_runs_are_completed(command: str, tmp_path: Path) -> None:
    for name in ("a.c-20260101-000000", "b.c-20260101-000000"):
        (tmp_path / ".nubbin" / name).mkdir(parents=True)
    assert completions(f"nubbin {command} b", tmp_path) == ["plain,b.c-20260101-000000"]
    assert completions(f"nubbin {command} else", tmp_path) == ["dir,else"]
