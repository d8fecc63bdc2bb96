"""The record survives what can happen to it, and says when it cannot."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.journal.reading import candidate
from nubbin.journal.recorded_run import RecordedRun
from nubbin.journal.run_facts import RunFacts
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Answer, Verdict
from watch.recorded import FACTS, RECORDED


def accept(journal: Journal, data: bytes, queries: int = 0, step: str = "") -> bool:
    document = Document.single("x", data)
    return journal.accept(document.key, document.contents, queries, step)


REFUSED = Answer(Verdict.UNINTERESTING, 0.5, 1, timed_out=False)
TIMED_OUT = Answer(Verdict.UNRESOLVED, 2.0, -9, timed_out=True)


def test_what_was_noted_is_there_again(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run") as journal:
        journal.tell(**FACTS)
        journal.note(b"one", REFUSED, 0, 1)
        assert accept(journal, b"hello")
        assert accept(journal, b"hell", 7, "chars")
        assert not accept(journal, b"hello", 9, "chars")
    with Journal(tmp_path / "run") as again:
        told = RunFacts.from_json(json.loads(json.dumps(RECORDED)))
        assert replace(again.facts, mark=None) == told
        (ran,) = again.ran().values()
        assert (ran.key, ran.verdict, ran.seconds) == (b"one", Verdict.UNINTERESTING, 0.5)
        first = candidate(tmp_path / "run", again.facts.first)
        assert (first, again.best) == ({"x": b"hello"}, {"x": b"hell"})


def test_a_fact_with_a_wrong_name_is_an_error(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run") as journal:
        journal.tell(**FACTS)
        for options in ({}, {"seed": 7}):
            with pytest.raises(TypeError, match="no fact called 'minmal'"):
                journal.tell(options=options, minmal=True, ended=None)
        assert (journal.facts.ended, journal.facts.options) == ("fixpoint", FACTS["options"])
        journal.tell(options={"seed": 7}, minimal=False)
        assert journal.facts.options == {**FACTS["options"], "seed": 7}


def test_a_time_out_is_not_final_when_there_is_more_time(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.note(b"slow", TIMED_OUT, 0, 1)
        (ran,) = journal.ran().values()
        assert ran.is_final(None)
        assert ran.is_final(1.0)
        assert not ran.is_final(3.0)


@pytest.mark.parametrize("answers", [True, False])
def test_starting_over_with_the_best_loses_no_candidate(tmp_path: Path, answers: bool) -> None:
    with Journal.create(tmp_path) as journal:
        journal.tell(**FACTS)
        journal.note(b"one", REFUSED, 0, 1)
        for data in (b"long", b"lon", b"lo"):
            accept(journal, data)
        journal.start_over(answers=answers)
        accept(journal, b"l")
    with Journal(tmp_path) as again:
        assert bool(again.ran()) == answers
        assert (candidate(tmp_path, again.facts.first), again.best) == ({"x": b"lo"}, {"x": b"l"})
    assert candidate(tmp_path, 1) == {"x": b"long"}


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with Journal.create(tmp_path), pytest.raises(NubbinError, match="under way"):
        Journal(tmp_path)
    Journal(tmp_path).close()


def test_a_run_is_not_recorded_over_another(tmp_path: Path) -> None:
    with Journal.create(tmp_path):
        pass
    with pytest.raises(NubbinError, match="ended before it began"):
        RecordedRun.open(tmp_path)
    with Journal.create(tmp_path) as journal:
        accept(journal, b"data")
    with pytest.raises(NubbinError, match="already"):
        Journal.create(tmp_path)
    Journal(tmp_path).close()


def test_a_process_that_is_killed_loses_nothing_and_holds_nothing(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys\n"
        "from nubbin.documents.document import Document\n"
        "from nubbin.journal.journal import Journal\n"
        "from nubbin_core.verdict import Answer\n"
        "from nubbin_core.verdict import Verdict\n"
        "journal = Journal.create(pathlib.Path(sys.argv[1]))\n"
        "for i in range(500):\n"
        "    journal.note(b'%d' % i, Answer(Verdict.INTERESTING, 0.1, 0, timed_out=False), 1, 1)\n"
        "document = Document.single('x', b'data')\n"
        "journal.accept(document.key, document.contents, 0, '')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, tmp_path / "run"], check=False)
    assert ended.returncode == -9
    with Journal(tmp_path / "run") as journal:
        assert len(journal.ran()) == 500
        assert journal.best == {"x": b"data"}


def test_a_full_disk_is_an_error_with_a_name(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal._store.execute("PRAGMA max_page_count=20")
        with pytest.raises(OSError, match=r"journal in .* cannot be written: .*full"):
            for i in range(5000):
                journal.note(os.urandom(16) + b"%d" % i, REFUSED, 0, 1)
        assert journal.ran()


@pytest.mark.parametrize(
    ("best", "advice"),
    [
        (".nubbin/x.c-20260101-000000/best/x.reduced.c", "on disk: nubbin reduce TEST .*/best/x"),
        ("x.reduced.c", r"on disk: nubbin reduce TEST .*/x\.reduced\.c$"),
    ],
)
def test_garbage_is_no_journal(tmp_path: Path, best: str, advice: str) -> None:
    run = tmp_path / ".nubbin/x.c-20260101-000000"
    for place, data in ((run / "journal.sqlite", b"garbage" * 1000), (tmp_path / best, b"x")):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    with pytest.raises(NubbinError, match=f"cannot be read: .* {advice}"):
        Journal(run)
    with pytest.raises(NubbinError, match="cannot be read"):
        RecordedRun.open(run)


def test_a_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    Journal.create(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as store:
        store.execute("PRAGMA user_version=3")
    with pytest.raises(NubbinError, match="another version"):
        Journal(tmp_path)
    with pytest.raises(NubbinError, match="another version"):
        RecordedRun.open(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_run_is_read_by_whoever_may_not_write_there(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with Journal.create(run) as journal:
        accept(journal, b"data")
    run.chmod(0o555)
    try:
        assert candidate(run, 1) == {"x": b"data"}
    finally:
        run.chmod(0o755)
