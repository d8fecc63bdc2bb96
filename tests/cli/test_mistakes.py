from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nubbin.cli import main

Script = Callable[..., Path]


def reduce(*arguments: str | Path) -> Result:
    told = CliRunner().invoke(main, ["reduce", *map(str, arguments)])
    assert isinstance(told.exception, SystemExit), told.exception
    assert told.stdout == ""
    assert "Traceback" not in told.stderr
    return told


@pytest.fixture
def test(script: Script) -> Path:
    return script("grep -q a letters.txt")


def test_no_such_input(test: Path, tmp_path: Path) -> None:
    told = reduce(test, tmp_path / "nothing.txt")
    assert told.exit_code == 1
    assert "no input at" in told.stderr


def test_no_such_test(letters: Path, tmp_path: Path) -> None:
    told = reduce(tmp_path / "nothing.sh", letters)
    assert told.exit_code == 1
    assert "no test at" in told.stderr


def test_a_pipe_is_no_input(test: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    told = reduce(test, tmp_path / "pipe")
    assert told.exit_code == 1
    assert "neither a file nor a folder" in told.stderr


def test_test_and_input_swapped(test: Path, letters: Path) -> None:
    told = reduce(letters, test)
    assert told.exit_code == 1
    assert f"nubbin reduce {test} {letters}" in told.stderr


def test_not_executable(test: Path, letters: Path) -> None:
    test.chmod(0o644)
    told = reduce(test, letters)
    assert told.exit_code == 1
    assert "chmod +x" in told.stderr


def test_a_test_that_is_never_interesting(script: Script, letters: Path) -> None:
    told = reduce(script("echo no such bug; exit 3"), letters)
    assert told.exit_code == 1
    assert "status 3" in told.stderr
    assert "no such bug" in told.stderr
    assert not letters.with_name("letters.reduced.txt").exists()


def test_a_test_that_is_always_interesting(script: Script, letters: Path) -> None:
    told = reduce(script("exit 0"), letters)
    assert told.exit_code == 1
    assert "empty" in told.stderr


def test_a_place_for_the_record_that_is_none(test: Path, letters: Path) -> None:
    told = reduce("--run-dir", letters / "run", test, letters)
    assert told.exit_code == 1
    assert f"cannot be recorded in {letters / 'run'}" in told.stderr
    assert "start again" in told.stderr


def test_a_place_for_the_result_that_goes_away(
    script: Script, letters: Path, tmp_path: Path
) -> None:
    place, once = tmp_path / "place", tmp_path / "once"
    place.mkdir()
    once.touch()
    goes = f"[ -e {place}/small.txt ] && rm {once} && rm -r {place}"
    test = script(f"{goes}; grep -q a letters.txt")
    told = reduce(
        "-j", "1", "-o", place / "small.txt", "--run-dir", tmp_path / "run", test, letters
    )
    assert told.exit_code == 1
    assert f"{place / 'small.txt'} cannot be written" in told.stderr
    assert f"go on with: nubbin resume {tmp_path / 'run'}" in told.stderr
    place.mkdir()
    assert CliRunner().invoke(main, ["resume", "--quiet", str(tmp_path / "run")]).exit_code == 0
    assert (place / "small.txt").read_text() == "a"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-a", "foo"], "there is no algorithm 'foo'. --help lists them"),
        (["-a", "ddmim"], "ddmin"),
        (["--atom", "words"], "'lines'"),
        (["-j", "0"], "--jobs"),
        (["-j", "many"], "--jobs"),
        (["--seed", "-1"], "--seed"),
        (["--p0", "1"], "--p0"),
        (["--timeout", "-3"], "no duration"),
        (["--max-time", "soon"], "no duration"),
        (["--memory", "2X"], "no size"),
        (["--max-queries", "0"], "--max-queries"),
        (["--quiet", "--verbose"], "not both"),
        (["--in-place", "-o", "small.txt"], "not both"),
        (["-o", "nowhere/small.txt"], "there is no folder nowhere"),
        (["-o", "."], "name a file"),
        (["--stats", "nowhere/stats.json"], "there is no folder nowhere"),
        (["--fast"], "No such option"),
        (["--server", "cat", "--python", "check.py:has"], "not both"),
    ],
)
def test_usage_errors(test: Path, letters: Path, options: list[str], words: str) -> None:
    told = reduce(*options, test, letters)
    assert told.exit_code == 2
    assert words in told.stderr
    assert not letters.with_name("letters.reduced.txt").exists()


@pytest.mark.parametrize("option", ["-o", "--stats"])
def test_the_input_is_not_overwritten(test: Path, letters: Path, option: str) -> None:
    before = letters.read_bytes()
    told = reduce(option, letters, test, letters)
    assert told.exit_code == 2
    assert "--in-place" in told.stderr
    assert letters.read_bytes() == before


def test_too_few_arguments(test: Path) -> None:
    assert reduce(test).exit_code == 2
    assert reduce("--server", "cat").exit_code == 2


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["--python", "nowhere.py:check"], "There is no Python function"),
        (["--server", "no-such-program -x"], "There is no program"),
        (["--server", "echo ready"], "must print one line"),
        (["--server", "sed -u s/.*/uninteresting/"], "answered uninteresting"),
        (["--server", "true"], "The server must answer each path"),
    ],
)
def test_servers_and_functions_that_are_none(letters: Path, option: list[str], words: str) -> None:
    told = reduce(*option, letters)
    assert told.exit_code == 1
    assert words in told.stderr.replace("\n", " ")
    assert not letters.with_name("letters.reduced.txt").exists()
