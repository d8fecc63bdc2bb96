"""The man page has all commands and options, and shows their help as it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_help import commands
from man_page import man_page, roff

needs_man_db = pytest.mark.skipif(shutil.which("lexgrog") is None, reason="there is no man-db")


def shown(page: Path) -> str:
    """Return the text that `man` shows, with single blanks; it warns of nothing."""
    told = subprocess.run(
        ["man", "--warnings=all", "--no-hyphenation", "--local-file", str(page)],
        env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "300"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stderr == ""
    return " ".join(re.sub(".\b", "", told.stdout).split())


@needs_man_db
def test_apropos_finds_it(tmp_path: Path) -> None:
    page = tmp_path / "nubbin.1"
    page.write_text(man_page())
    told = subprocess.run(["lexgrog", str(page)], capture_output=True, text=True, check=True)
    assert told.stdout.startswith(f'{page}: "nubbin - make a failing input as small')


@needs_man_db
def test_all_help_is_in_the_page(tmp_path: Path) -> None:
    page = tmp_path / "nubbin.1"
    page.write_text(man_page())
    text = shown(page)
    for command in commands():
        parts = [command.name, command.text, *command.options, *command.table[1:]]
        parts += [part for options in command.options.values() for each in options for part in each]
        for part in parts:
            assert " ".join(part.replace("`", "").split()) in text


@needs_man_db
@pytest.mark.parametrize(
    "text",
    [r"a\nb \fBc \(aq", ".SH no", "'br", "--long -s a-b", 'a "b" \\', "a\n.b\n'c", "\\&", "~^"],
)
def test_a_text_is_shown_as_it_is(text: str, tmp_path: Path) -> None:
    page = tmp_path / "nubbin.1"
    page.write_text(f".TH A 1\n.SH B\n{roff(text)}\n")
    assert f"B {' '.join(text.split())} " in shown(page)
