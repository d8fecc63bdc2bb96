from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from nubbin.cli import main
from nubbin.cli.commands import reduce_command
from nubbin.cli.usage import OTHERS

PAGE = Path(__file__).parents[2] / "docs" / "migrating.md"
OPTIONS = {name for param in reduce_command.params for name in param.opts}


@pytest.mark.parametrize("name", OTHERS)
def test_a_name_of_another_reducer_is_answered_with_ours(name: str) -> None:
    is_option = name.startswith("-")
    words = ["reduce", f"{name}=3" if "--" in name else name, "t", "i"] if is_option else [name]
    told = CliRunner().invoke(main, words)
    tool, now = OTHERS[name]
    assert told.exit_code == 2
    kind = "an option" if is_option else "a command"
    assert f"{name} is {kind} of {tool}; here, type {now}." in told.stderr
    assert name not in OPTIONS
    assert {word for word in now.split() if word.startswith("-")} <= OPTIONS
    assert is_option or now.split()[0] in main.commands
    assert re.search(rf"`[^`|]*{name}\b", PAGE.read_text())


def test_words_of_a_command_are_not_names() -> None:
    told = CliRunner().invoke(main, ["blame", "--help", "--", "git", "--atom"])
    assert (told.exit_code, told.stderr) == (0, "")
