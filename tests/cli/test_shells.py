"""The Tab key in real shells: what they pass on after some words were completed."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from terminals import Shell

#: How each shell starts without the user's settings, and is told of the completion.
SHELLS = {
    "bash": ("bash --norc", 'eval "$(_NUBBIN_COMPLETE=bash_source nubbin)"'),
    "zsh": (
        "zsh -f",
        'autoload -U compinit; compinit -D; eval "$(_NUBBIN_COMPLETE=zsh_source nubbin)"',
    ),
    "fish": ("fish --no-config", "_NUBBIN_COMPLETE=fish_source nubbin | source"),
}

#: What is typed, and the words that the shell makes of it.
TYPED = {
    "lo\t": ["log"],
    "reduce --smal\ttr\t": ["reduce", "--smallest", "tree"],
    "reduce --smallest=tr\t": ["reduce", "--smallest=tree"],
    "reduce --output=one\t": ["reduce", "--output=one file.c"],
    "reduce one\t": ["reduce", "one file.c"],
    "resume a\t": ["resume", "a b.c-20260101-000000"],
}

# Answers a shell's question as nubbin, and prints its words.
NUBBIN = """#!/bin/sh
[ "$_NUBBIN_COMPLETE" ] && exec {python} -m nubbin
printf 'word=%s;\\n' "$@" end
"""


@pytest.mark.parametrize("name", SHELLS)
def test_words_are_completed_by_the_shell(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which(name):
        pytest.skip(f"there is no {name}")
    here = tmp_path / "here"
    (here / ".nubbin" / "a b.c-20260101-000000").mkdir(parents=True)
    (here / "one file.c").touch()
    command = tmp_path / "bin" / "nubbin"
    command.parent.mkdir()
    command.write_text(NUBBIN.format(python=sys.executable))
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent), prepend=os.pathsep)
    monkeypatch.setenv("HOME", str(tmp_path))
    start, set_up = SHELLS[name]
    with Shell(here) as shell:
        shell.enter(f"exec {start}\r")
        shell.enter(f"{set_up}\r")
        shell.enter("nubbin ready\r")
        shell.until(b"word=ready;", b"word=end;")
        for typed, expected in TYPED.items():
            shell.enter(f"nubbin {typed}\r")
            words = re.findall("word=(.*?);", shell.until(b"word=end;").decode())
            assert words == [*expected, "end"]
