from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from nubbin.cli import main
from nubbin.cli.reduce_command import reduce_command
from nubbin.cli.usage import EARLIER, OTHERS

PAGE = Path(__file__).parents[2] / "docs" / "migrating.md"
OPTIONS = {name for param in reduce_command.params for name in param.opts}


@pytest.mark.parametrize("name", OTHERS)
def test_an_option_of_another_reducer_is_answered_with_ours(name: str) -> None:
    told = CliRunner().invoke(main, ["reduce", f"{name}=3" if "--" in name else name, "t", "i"])
    tool, now = OTHERS[name]
    assert told.exit_code == 2
    assert f"{name} is an option of {tool}; here, type {now}." in told.stderr
    assert name not in OPTIONS
    assert {word for word in now.split() if word.startswith("-")} <= OPTIONS
    assert f"`{name}" in PAGE.read_text()


@pytest.mark.parametrize("name", [name for name in EARLIER if name.startswith("-")])
def test_an_earlier_option_works_and_its_name_is_told(name: str, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    value = "lines" if EARLIER[name] == "--smallest" else "a"
    for words in ([name, value], [f"{name}={value}"]):
        told = CliRunner().invoke(main, ["reduce", *words, str(missing), str(missing)])
        note, rest = told.stderr.split("\n", 1)
        assert f"{name} is an earlier name" in note
        assert note.endswith(EARLIER[name])
        assert "no test at" in rest


def test_words_of_a_command_are_not_renamed() -> None:
    told = CliRunner().invoke(main, ["blame", "--help", "--", "git", "--atom"])
    assert (told.exit_code, told.stderr) == (0, "")


@pytest.mark.parametrize("name", [name for name in EARLIER if not name.startswith("-")])
def test_an_earlier_command_works_and_its_name_is_told(name: str) -> None:
    told = CliRunner().invoke(main, [name, "--help"])
    command = EARLIER[name].split()[0]
    assert told.exit_code == 0
    assert (
        told.stderr
        == f"nubbin: {name} is an earlier name, for this release; type: {EARLIER[name]}\n"
    )
    assert told.stdout.startswith(f"Usage: main {command} ")
