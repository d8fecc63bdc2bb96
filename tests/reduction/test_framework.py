"""`hdd:NAME`: any minimizer on the levels of a syntax tree, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from examples import mostly_nightly
from nubbin.reduction.events import Event, ListStarted
from nubbin.reduction.pipeline import framework_of
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import ALGORITHMS

Script = Callable[..., Path]

PROGRAM = b"""int a(void) { return 1; }
int b(int x) { x = 2; while (x) { x--; boom(x, 3); } return x; }
int c(void) { return a() + b(4); }
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "input.c"
    path.write_bytes(PROGRAM)
    return path


@pytest.mark.parametrize("name", mostly_nightly(["auto", "cdd", "ddmin", "probdd"], ["auto"]))
def test_every_step_is_a_level_and_structure_stays(script: Script, source: Path, name: str) -> None:
    events: list[Event] = []
    test = script("grep -q boom input.c")
    result = reduce(test, source, algorithm=f"hdd:{name}", jobs=1, observers=[events.append])
    assert {each.name for each in events if isinstance(each, ListStarted)} == {"tree levels"}
    assert result.reason == "fixpoint"
    assert result.algorithm == f"hdd:{name}"
    # What does not hold the call goes; without hoisting or tokens, what holds it stays.
    assert b"while" in result.data
    assert b"return" not in result.data


def test_a_name_is_split_into_framework_and_minimizer() -> None:
    assert framework_of("hdd:cdd") == ("hdd", "cdd")
    assert {framework_of(name) for name in ALGORITHMS} == {("", name) for name in ALGORITHMS}


@pytest.mark.parametrize("wrong", ["hdd:", "hdd", "hdd:none", "tree:cdd", "hdd:hdd:cdd", ":cdd"])
def test_what_is_not_there_is_named(script: Script, source: Path, wrong: str) -> None:
    with pytest.raises(ValueError, match=r"no algorithm .*; there are auto, .* hdd:cdd"):
        reduce(script("true"), source, algorithm=wrong)


def test_a_flat_list_has_no_levels(script: Script, source: Path) -> None:
    with pytest.raises(NubbinError, match="Leave out one of the two"):
        reduce(script("true"), source, algorithm="hdd:cdd", smallest="lines")
    assert not source.with_name("input.reduced.c").exists()


def test_without_a_tree_there_is_nothing_to_do(script: Script, source: Path) -> None:
    plain = source.with_name("notes.txt")
    plain.write_bytes(b"no grammar for this\n")
    with pytest.raises(NubbinError, match="needs a syntax tree"):
        reduce(script("true"), plain, algorithm="hdd:cdd")
