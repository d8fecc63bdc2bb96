"""A fact about a run is of its type, or else the journal is damaged, which a paragraph tells."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import mostly_nightly
from faults import remove
from journal.damage import nubbin
from nubbin.journal import schema
from nubbin.journal.recorded_run import runs_in
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.schema import Unreadable
from nubbin.reduction.reduce import reduce
from watch.recorded import RECORDED

Trail = tuple[str | int, ...]

#: A value of each type that JSON has.
VALUES: list[Any] = [None, True, -3, 1e300, "text\0", "\ud800", [3], {"a": 1}]
MISSING = object()
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an unfinished run, whose test notes each run."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "in.txt").write_text("".join(f"{number}\n" for number in range(8)))
    log = folder / "log"
    line = f"echo >>{log}; grep -qx 3 in.txt && echo 'error: three'"
    test = folder / "test.sh"
    test.write_text(f"#!/bin/sh\n{line}\n")
    test.chmod(0o755)
    reduce(test, folder / "in.txt", record=folder / ".nubbin" / "run", jobs=1, max_queries=3)
    return folder


def told(run: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(run / schema.FILE)) as store:
        return schema.told(store)


def tell(run: Path, values: object) -> None:
    with closing(sqlite3.connect(run / schema.FILE)) as store:
        schema.tell(store, values)
        store.commit()


def trails(values: object, trail: Trail = ()) -> Iterator[Trail]:
    """Yield the way to each value in JSON values, themselves included."""
    yield trail
    inner = (
        values.items()
        if isinstance(values, dict)
        else enumerate(values)
        if isinstance(values, list)
        else ()
    )
    for name, value in inner:
        yield from trails(value, (*trail, name))


def changed(values: Any, trail: Trail, value: object) -> Any:
    """Return values with another one, or none, at the end of a way."""
    if not trail:
        return value
    copied = values.copy()
    if len(trail) == 1 and value is MISSING:
        del copied[trail[0]]
    else:
        copied[trail[0]] = changed(values[trail[0]], trail[1:], value)
    return copied


def everything_in(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".nubbin" not in path.parts)
    return {str(path): (path.stat().st_mode, path.read_bytes()) for path in files}


EXTRA = {
    "commands": [{"at": 1.0, "queries": 2, "name": "skip-pass", "value": "lines"}],
    "failure": ["error: three", "error: three"],
    "frames": ["main"],
    "start": 1,
    "readable_key": "00",
    "flaky": False,
}


@pytest.mark.parametrize("step", mostly_nightly([1, 8], [8]))
def test_each_fact_of_another_type_or_missing(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """By day, each fact has some of the values, in turn."""
    folder = tmp_path / "work"
    shutil.copytree(recorded, folder)
    shutil.copytree(folder / ".nubbin" / "run", folder / ".nubbin" / "whole")
    run = folder / ".nubbin" / "run"
    monkeypatch.chdir(folder)
    for each in (
        "nubbin.oracles.user_test.UserTest.digest",
        "nubbin.reduction.recorded.inspection.parsing",
    ):
        monkeypatch.setattr(each, stop_here)  # the next step would run the test
    before = everything_in(folder)
    facts = told(run) | EXTRA
    assert {"sessions", "original", "executables", "test"} < facts.keys()
    every = [MISSING, *VALUES]
    for at, trail in enumerate(trails(facts)):
        # Of what is inside of a fact, a fifth of the values in turn.
        values = VALUES if not trail else every if len(trail) == 1 else every[at % 5 :: 5]
        for value in values[at % step :: step]:
            tell(run, changed(facts, trail, value))
            print(trail, value)  # if it fails
            use(run)
    assert everything_in(folder) == before


def stop_here(*_: object) -> None:
    raise OSError("the test would run now")


def use(run: Path) -> None:
    """Use a run in every way; each must end well or with a paragraph."""
    listed = {each.folder.name for each in runs_in(run.parent.parent)}
    assert "whole" in listed
    nubbin("log")
    nubbin("log", run)
    nubbin("report", run, "-o", "-")
    nubbin("report", run, "--markdown", "-o", "-")
    nubbin("watch", run)
    place = run / "restored"
    if nubbin("show", run, "1", "-o", place) == 0:
        remove(place)
    assert nubbin("resume", "-q", run) == 1
    assert nubbin("verify", run) == 1


@given(st.sampled_from(sorted(RECORDED | EXTRA)), json_values)
def test_facts_are_of_their_types_or_unreadable(name: str, value: object) -> None:
    try:
        facts = RunFacts.from_json({**RECORDED, **EXTRA, name: value})
    except Unreadable:
        return
    json.dumps(msgspec.to_builtins(facts.sessions))
    assert facts.first >= 1
    assert facts.original.runs >= facts.original.yes >= 0


def test_the_key_of_a_readable_copy_was_once_in_place_of_the_option() -> None:
    facts = RunFacts.from_json(RECORDED | {"pretty": "00ff"})
    assert (facts.readable_key, facts.options["pretty"]) == ("00ff", True)
