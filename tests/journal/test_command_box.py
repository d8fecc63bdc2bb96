"""Commands come through the folder of a run, and nothing else does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.journal.command_box import (
    JOBS,
    MAX_TIME,
    PAUSE,
    STOP,
    CommandBox,
    SteeringCommand,
    post,
)
from nubbin.journal.journal import Journal
from nubbin_core.errors import NubbinError
from strangers import another_user, folder_for_all, needs_root

values_of_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.sampled_from(["name", "value", "more"]), values_of_json))
def test_only_a_command_is_read_as_one(values: dict[str, object]) -> None:
    try:
        command = SteeringCommand(**values)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return
    assert {"name": command.name, "value": command.value} == {"value": None, **values}


@pytest.mark.parametrize(
    "values", [("jobs", 0), ("jobs", True), ("jobs", 10**9), ("stop", 1), ("max-time", 0.0)]
)
def test_a_value_must_make_sense(values: tuple[str, float]) -> None:
    with pytest.raises(ValueError, match="is not a command"):
        SteeringCommand(*values)


def test_commands_come_in_order_and_once(tmp_path: Path) -> None:
    with Journal.create(tmp_path):
        box = CommandBox(tmp_path)
        commands = [
            SteeringCommand(PAUSE),
            SteeringCommand(JOBS, 3),
            SteeringCommand(MAX_TIME, 60.0),
            SteeringCommand(STOP),
        ]
        for command in commands:
            post(tmp_path, command)
        assert box.taken() == commands
        assert box.taken() == []


def test_a_run_that_is_not_under_way_takes_none(tmp_path: Path) -> None:
    with Journal.create(tmp_path):
        CommandBox(tmp_path)
        post(tmp_path, SteeringCommand(STOP))
    with pytest.raises(NubbinError, match="not under way"):
        post(tmp_path, SteeringCommand(STOP))
    assert CommandBox(tmp_path).taken() == []  # what was there is for nobody any more


def put_link(place: Path) -> None:
    elsewhere = place.parents[1] / "elsewhere"
    elsewhere.write_text(json.dumps({"name": "stop"}))
    place.symlink_to(elsewhere)


def put_much(place: Path) -> None:
    place.write_text(" " * 10**6 + json.dumps({"name": "stop"}))


def put_deep(place: Path) -> None:
    place.write_text("[" * 4096)


def put_foreign(place: Path) -> None:
    place.write_text(json.dumps({"name": "stop"}))
    os.chown(place, 12345, 12345)


PUTS: list[Callable[[Path], None]] = [os.mkfifo, Path.mkdir, put_link, put_much, put_deep]
if os.geteuid() == 0:
    PUTS.append(put_foreign)


@pytest.mark.parametrize("put", PUTS)
def test_whatever_else_lies_there_is_no_command(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    with Journal.create(tmp_path):
        box = CommandBox(tmp_path)
        put(tmp_path / "commands" / "0")
        post(tmp_path, SteeringCommand(PAUSE))
        assert box.taken() == [SteeringCommand(PAUSE)]
        assert not (tmp_path / "commands" / "0").is_file()


@pytest.mark.parametrize("put", [Path.touch, os.mkfifo, lambda place: place.symlink_to("/tmp")])
def test_without_a_folder_of_its_own_a_run_takes_none(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    with Journal.create(tmp_path):
        put(tmp_path / "commands")
        with pytest.raises(OSError, match="commands"):
            CommandBox(tmp_path)
        with pytest.raises(NubbinError, match="cannot write to the run"):
            post(tmp_path, SteeringCommand(STOP))


def test_in_a_folder_that_others_may_write_to_nothing_is_a_command(tmp_path: Path) -> None:
    with Journal.create(tmp_path):
        box = CommandBox(tmp_path)
        (tmp_path / "commands").chmod(0o777)
        (tmp_path / "commands" / "0").write_text(json.dumps({"name": "stop"}))
        assert box.taken() == []
        with pytest.raises(NubbinError, match="Only the owner"):
            post(tmp_path, SteeringCommand(STOP))


@needs_root
def test_whoever_may_not_write_is_told_so() -> None:
    with folder_for_all() as folder, Journal.create(folder / "run"):
        CommandBox(folder / "run")
        for mode, said in ((0o700, "not under way"), (0o755, "Only the owner")):
            (folder / "run").chmod(mode)
            (folder / "run" / "lock").chmod(mode)
            with another_user(), pytest.raises(NubbinError, match=said):
                post(folder / "run", SteeringCommand(STOP))
