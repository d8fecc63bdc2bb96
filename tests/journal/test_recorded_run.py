"""All that shows a recorded run says the same of it: there is one reader, and one clock."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from nubbin.cli import main
from nubbin.journal import schema
from nubbin.journal.journal import Journal
from nubbin.journal.reading import candidate
from nubbin.journal.recorded_run import RecordedRun, runs_in
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.report.page.recording import Recording
from nubbin.text.figures import duration
from nubbin.watch.reader import RunReader
from nubbin_core.errors import NubbinError
from watch.recorded import FACTS, accept, record, tally

Script = Callable[..., Path]


def at(run: Path, number: int, seconds: float) -> None:
    """Make a candidate one that was accepted at a time."""
    with closing(sqlite3.connect(run / schema.FILE)) as store:
        row = store.execute("SELECT * FROM accepted WHERE number = ?", (number,)).fetchone()
        row = schema.sealed("accepted", number, row[1], seconds, *row[3:-1])
        store.execute("REPLACE INTO accepted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        store.commit()


def test_work_before_a_break_counts_for_every_viewer(tmp_path: Path) -> None:
    run = tmp_path / ".nubbin" / "run"
    record(run, [b"int a; int b;", b"int a; int", b"int a;"])
    for number, seconds in ((1, 1000.0), (2, 5001.0), (3, 5011.0)):
        at(run, number, seconds)
    parts = [(1000.0, 0.0), (5000.0, 8.0)]  # after the first step, 8 s of work, and then a break
    with Journal(run) as journal:
        journal.tell(sessions=[{"begun": begun, "seconds": each} for begun, each in parts])
    page, view, read = Recording.of(run), RunReader(run).read(), RecordedRun.open(run)
    assert [step.seconds for step in read.steps] == [0.0, 9.0, 19.0]
    assert list(page.run.steps) == list(view.run.steps) == list(read.steps)
    assert page.run.seconds == view.run.seconds == read.seconds == 30.0
    written = (
        CliRunner().invoke(main, ["report", str(run), "--markdown", "--full", "-o", "-"]).stdout
    )
    assert re.search(rf"\b2 .*10 bytes +.*query 10, {duration(9.0)}", written)


def test_all_viewers_agree_on_a_run_that_was_broken_off(script: Script, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("".join(f"{number}\n" for number in range(40)))
    run = tmp_path / ".nubbin" / "run"
    reduce(script("grep -qx 17 in.txt"), source, record=run, max_queries=9, jobs=1)
    result = resume(run, jobs=2)
    page, view, (listed,) = Recording.of(run), RunReader(run).read(), runs_in(tmp_path)
    assert list(page.run.steps) == list(view.run.steps)
    assert page.run.queries == view.run.queries == listed.queries == result.queries
    assert page.run.seconds == view.run.seconds
    assert page.run.state == view.run.state == listed.state == "fixpoint"
    assert (listed.before, listed.after) == (len(source.read_bytes()), len(result.data))
    assert view.run.best == candidate(run, None) == dict(result.files)
    history = CliRunner().invoke(main, ["log", str(run)]).stdout.splitlines()
    for step, line in zip(page.run.steps, history[-len(page.run.steps) :], strict=True):
        assert line.split()[:2] == [str(step.number), f"{step.bytes:,}"]


def test_a_run_is_read_on_and_back(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.tell(**FACTS)
        keys = [accept(journal, b"12345")]
        run = RecordedRun.open(tmp_path)
        assert (run.state, run.unpacked, run.best) == ("running", 0, {})
        for number in range(1, 4):
            keys.append(accept(journal, b"12345"[number:], number, "chars"))
        run.read_on(1.0)
        assert [step.key for step in run.steps] == keys
        assert (run.unpacked, run.best, run.before) == (4, {"input.c": b"45"}, {"input.c": b"345"})
        journal.go_back(keys[1], {"input.c": b"2345"})
        accept(journal, b"2", 9, "chars")
        run.read_on(1.0)
        assert [step.bytes for step in run.steps] == [5, 4, 1]
        assert run.best == journal.best
        journal.tell_tally(tally(20))
    run.read_on()
    assert (run.state, run.queries, run.seconds) == ("fixpoint", 20, 30.0)


@pytest.mark.parametrize("what", ["facts", "candidates"])
def test_what_never_began_cannot_be_opened(tmp_path: Path, what: str) -> None:
    with Journal.create(tmp_path) as journal:
        if what == "facts":
            accept(journal, b"1")
        else:
            journal.tell(**FACTS)
    with pytest.raises(NubbinError, match="ended before it began"):
        RecordedRun.open(tmp_path)
