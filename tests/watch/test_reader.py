"""A reader sees what has happened, however often it looks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nubbin.journal.journal import Journal
from nubbin.watch.reader import RunReader, Snapshot
from nubbin_core.errors import NubbinError
from watch.recorded import FACTS, accept, record, tally

ACCEPT, LOOK, GO_BACK = "accept", "look", "go back"


class Clock:
    """Time that goes on when a test says so."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    time = monotonic


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("nubbin.watch.reader.time", made)
    return made


def seen(snapshot: Snapshot) -> list[object]:
    """What does not depend on when, and how often, somebody looks."""
    return [
        vars(snapshot.run),
        snapshot.job,
        snapshot.figures,
        snapshot.different_failures,
        snapshot.estimate,
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([ACCEPT, LOOK, GO_BACK]), max_size=12), st.randoms())
def test_it_does_not_matter_when_somebody_looks(deeds: list[str], random: Random) -> None:
    with tempfile.TemporaryDirectory() as folder, Journal.create(Path(folder, "run")) as journal:
        journal.tell(**FACTS)
        reader = RunReader(journal.folder)
        keys, best = [accept(journal, b"0")], [journal.best]
        for number, deed in enumerate(deeds, 1):
            if deed == ACCEPT:
                keys.append(accept(journal, b"%d" % number, number, "chars"))
                best.append(journal.best)
            elif deed == GO_BACK:
                left = random.randrange(len(keys)) + 1
                del keys[left:], best[left:]
                journal.go_back(keys[-1], best[-1])
            else:
                assert seen(reader.read()) == seen(RunReader(journal.folder).read())
        last = reader.read()
        assert seen(last) == seen(RunReader(journal.folder).read())
        assert (len(last.run.steps), last.run.best) == (len(keys), journal.best)


def test_a_run_is_under_way_while_somebody_writes_it(tmp_path: Path) -> None:
    record(tmp_path)
    reader = RunReader(tmp_path)
    with Journal(tmp_path):
        assert (reader.read().run.state, reader.read().is_under_way) == ("running", True)
    last = reader.read()
    assert (last.run.state, last.name, last.run.queries, last.run.seconds) == (
        "fixpoint",
        "input.c",
        10,
        30.0,
    )
    assert (last.run.before, last.run.best) == (
        {"input.c": b"int a; int b;"},
        {"input.c": b"int a;"},
    )
    assert (last.figures.runs, last.figures.median) == (2, 0.25)


def test_a_run_that_never_began_is_told(tmp_path: Path) -> None:
    Journal.create(tmp_path).close()
    with pytest.raises(NubbinError, match="ended before it began"):
        RunReader(tmp_path).read()
    with pytest.raises(NubbinError, match="no recorded run"):
        RunReader(tmp_path / "nowhere").read()


def test_a_process_that_writes_nothing_is_told(tmp_path: Path, clock: Clock) -> None:
    record(tmp_path)
    reader = RunReader(tmp_path)
    with Journal(tmp_path) as journal:
        assert not reader.read().is_silent
        clock.now += 60
        silent = reader.read()
        assert (silent.is_silent, silent.silence, silent.run.seconds) == (True, 60, 30)
        journal.tell_tally(tally(10, at=5.0))
        assert not reader.read().is_silent
        clock.now += 60
    assert not reader.read().is_silent  # it has ended
