"""Only a run that the user has recorded is gone on with."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nubbin.documents.document import Document
from nubbin.journal import schema
from nubbin.journal.journal import Journal
from nubbin.journal.mark import Stranger, check_mark, check_own, with_mark
from strangers import NOBODY, another_user, folder_for_all, needs_root
from watch.recorded import FACTS

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
DOCUMENT = Document.single("x.c", b"int x;")
facts_of_runs = st.dictionaries(st.text(), values, min_size=1, max_size=5)


def recorded(run: Path, **facts: Any) -> Path:
    """Record a run with facts."""
    with Journal.create(run) as journal:
        journal.accept(DOCUMENT.key, DOCUMENT.contents, 0, "")
        journal.tell(**{**FACTS, **facts})
    return run


@pytest.fixture
def another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user with a key of their own, in what follows."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@given(facts_of_runs, facts_of_runs)
def test_no_fact_changes_without_the_mark_showing_it(
    facts: dict[str, Any], others: dict[str, Any]
) -> None:
    mark = with_mark(facts)["mark"]
    check_mark(Path("run"), with_mark(facts))
    assume(with_mark(others)["mark"] != mark)
    with pytest.raises(Stranger):
        check_mark(Path("run"), {**others, "mark": mark})


def test_the_mark_keeps_pace_with_the_facts(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run") as journal:
        for number in range(3):
            options = {**FACTS["options"], "number": number, "nested": {"a": (1, 2.5, None)}}
            journal.tell(**{**FACTS, "options": options})
            check_own(tmp_path / "run")  # as if it was killed here


def test_a_journal_with_other_facts_is_a_strangers(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", name="mine")
    with closing(sqlite3.connect(run / schema.FILE, isolation_level=None)) as store:
        schema.tell(store, {**schema.told(store), "name": "theirs"})
    with pytest.raises(Stranger, match="does not bear the mark of your key"):
        Journal(run)
    with pytest.raises(Stranger, match="--trust"):
        check_own(run)


def test_a_run_that_was_sent_is_trusted_once(tmp_path: Path, another_key: None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
        run = recorded(tmp_path / "run", name="theirs")
    with pytest.raises(Stranger):
        Journal(run)
    Journal(run, trust=True).close()
    with pytest.raises(Stranger):
        Journal(run)
    with Journal(run, trust=True) as journal:
        journal.tell(ended=None)
    Journal(run).close()


def test_without_a_key_runs_are_recorded_and_have_to_be_trusted(
    tmp_path: Path, another_key: None
) -> None:
    (tmp_path / "state").write_text("a file: no key can be made")
    run = recorded(tmp_path / "run", name="mine")
    with pytest.raises(Stranger, match=r"Your key cannot be read, .* give --trust"):
        Journal(run)
    with Journal(run, trust=True) as journal:
        assert journal.facts is not None
        assert journal.facts.name == "mine"


@pytest.mark.parametrize("key", ["", "short"])
def test_a_damaged_key_says_so(tmp_path: Path, another_key: None, key: str) -> None:
    (tmp_path / "state/nubbin").mkdir(parents=True)
    (tmp_path / "state/nubbin/key").write_text(key)
    run = recorded(tmp_path / "run", name="mine")
    with pytest.raises(Stranger, match=r"is damaged\. Remove it"):
        Journal(run)


@pytest.mark.usefixtures("another_key")
def test_the_key_is_for_the_user_alone(tmp_path: Path) -> None:
    recorded(tmp_path / "run", name="mine")
    (key,) = (tmp_path / "state/nubbin").iterdir()
    assert (key.stat().st_mode & 0o777, key.stat().st_size) == (0o600, 32)
    assert key.parent.stat().st_mode & 0o777 == 0o700


@needs_root
def test_the_run_of_another_user_is_not_opened_for_writing(tmp_path: Path) -> None:
    with folder_for_all() as folder:
        run = recorded(tmp_path / "run", name="mine")
        shutil.copytree(run, folder / "run")
        for each in (folder / "run", *(folder / "run").rglob("*")):
            os.chown(each, NOBODY, NOBODY)
        before = {each: each.stat().st_mtime_ns for each in (folder / "run").iterdir()}
        for trust in (False, True):  # it may change while it is used
            with pytest.raises(Stranger, match=r"belongs to nobody, .* folder of your own"):
                Journal(folder / "run", trust=trust)
        assert {each: each.stat().st_mtime_ns for each in (folder / "run").iterdir()} == before
        with another_user(), pytest.raises(Stranger):  # who cannot make the mark either
            check_own(folder / "run")


def test_a_folder_that_takes_the_place_of_the_run_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, theirs = recorded(tmp_path / "run"), recorded(tmp_path / "theirs")
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def swapped(*arguments: Any, **options: Any) -> sqlite3.Connection:
        run.rename(tmp_path / "moved")
        theirs.rename(run)
        return connect(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", swapped)
    with pytest.raises(Exception, match="is in the place of the folder"):
        Journal(run)
