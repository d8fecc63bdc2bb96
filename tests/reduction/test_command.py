"""`nubbin.Command` and `nubbin.learn`: a command line as a test, in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import nubbin
from nubbin.oracles.failures.conditions import Conditions

Script = Callable[..., Path]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "abc.txt"
    path.write_text("a\nb\nc\n")
    return path


@pytest.fixture
def tool(script: Script) -> Path:
    return script('if grep -q b "$1"; then echo failed: b >&2; exit 3; fi', "tool")


def test_the_conditions_of_a_command_must_hold(tool: Path, source: Path) -> None:
    command = nubbin.Command(run=f"{tool} {{}}", exits="3", stderr="failed", valid=("grep -q a",))
    assert nubbin.reduce(command, source).data == b"ab"


def test_the_name_of_the_input_is_the_place_of_the_candidate(tool: Path, source: Path) -> None:
    assert nubbin.reduce(nubbin.Command(run=f"{tool} {source}", exits="3"), source).data == b"b"


def test_what_is_learned_can_be_looked_at_and_changed(tool: Path, source: Path) -> None:
    learned = nubbin.learn(str(tool), source)
    assert not [*source.parent.glob("*reduced*")]
    assert learned == nubbin.Command(run=str(tool), exits="3", prints=r"failed: \S+")
    assert nubbin.reduce(replace(learned, prints=None), source).data == b"b"
    valid = nubbin.Command(run=str(tool), valid=("grep -q c",))
    assert nubbin.learn(valid, source).valid == valid.valid
    assert nubbin.reduce(valid, source, output=tool.with_name("bc.txt")).data == b"bc"


def test_a_command_that_does_not_fail_is_told(source: Path) -> None:
    with pytest.raises(nubbin.NubbinError, match="succeeds on a copy of abc"):
        nubbin.learn("cat", source)
    with pytest.raises(nubbin.NubbinError, match="--exits 'maybe' is not a way to end"):
        nubbin.Command(run="cat", exits="maybe")


def test_a_command_has_all_conditions_and_is_true_if_it_says_when_it_misbehaves() -> None:
    assert not nubbin.Command(run="cat", valid=("cat",))
    assert nubbin.Command(run="cat", no_stdout="x")
    command = nubbin.Command(run="cat", prints="x", hangs=2.0)
    assert Conditions.from_json(command.to_json()) == Conditions(prints="x", hangs=2.0)


def test_a_result_is_printed_on_a_line_or_two(tool: Path, source: Path) -> None:
    source.write_text("x\n" * 10_000 + "b\n")
    found = nubbin.reduce(nubbin.Command(run=str(tool), exits="3"), source)
    assert len(repr(found)) < 300
    assert "20002 -> 1" in repr(found)


def test_all_public_names_are_listed() -> None:
    assert set(nubbin.__all__) <= set(dir(nubbin))
    assert all(getattr(nubbin, name) is not None for name in nubbin.__all__)
