"""The tally of a run is read as it was written, or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.document import Document
from nubbin.journal import reading, schema
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import RecordedRun
from nubbin.journal.run_facts import ListTally, PassTally, RunTally, Tally
from nubbin.journal.schema import MAX_TIME_S
from watch.recorded import FACTS

numbers = st.integers(0, 1 << 60)
seconds = st.floats(0, MAX_TIME_S)
tallies = st.builds(
    Tally,
    at=seconds,
    seconds=seconds,
    jobs=st.integers(1, 1000),
    at_work=st.none() | st.builds(ListTally, st.text(), numbers, numbers, numbers),
    passes=st.lists(st.builds(PassTally, st.text(), numbers, numbers, numbers, numbers, seconds)),
    kinds=st.dictionaries(st.text(), st.lists(numbers, min_size=2, max_size=2)),
    runs=st.lists(st.builds(RunTally, seconds, numbers)),
)
values_of_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def begun(folder: Path) -> None:
    with Journal.create(folder) as journal:
        document = Document.single("x", b"data")
        journal.tell(**FACTS)
        journal.accept(document.key, document.contents, 0, "")
        journal.tell_tally(Tally(jobs=3))


def read_back(values: object) -> Tally | None:
    """Return the tally of a journal with these values as its tally."""
    with closing(sqlite3.connect(":memory:")) as store:
        schema.make(store)
        schema.tell(store, values, "tally")
        return reading.tally(store)


@given(tallies)
def test_a_tally_is_read_as_it_was_written(tally: Tally) -> None:
    assert read_back(tally) == tally


@given(tallies, st.data())
def test_nothing_but_a_tally_is_read_as_one(tally: Tally, data: st.DataObject) -> None:
    values: dict[str, Any] = asdict(tally)
    values[data.draw(st.sampled_from(sorted(values)))] = data.draw(values_of_json)
    read = read_back(values)
    assert read is None or read_back(read) == read


def test_the_last_tally_counts(tmp_path: Path) -> None:
    begun(tmp_path)
    with Journal(tmp_path) as journal:
        assert journal.tally == Tally(jobs=3)
        journal.tell_tally(Tally(jobs=4))
    assert RecordedRun.open(tmp_path).tally == Tally(jobs=4)


def test_a_damaged_tally_is_none(tmp_path: Path) -> None:
    begun(tmp_path)
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as store:
        store.execute("UPDATE tally SET value = replace(value, 3, 4)")
        store.commit()
    assert RecordedRun.open(tmp_path).tally is None


@pytest.mark.parametrize("value", ["[]", "3", "null", '{"at": NaN}'])
def test_a_tally_that_nubbin_would_not_have_written_is_none(tmp_path: Path, value: str) -> None:
    begun(tmp_path)
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as store:
        store.execute("UPDATE tally SET value = ?, seal = ?", schema.sealed("tally", 1, value)[1:])
        store.commit()
    assert RecordedRun.open(tmp_path).tally is None
