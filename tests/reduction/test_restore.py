"""What a run was, and every candidate that it accepted, can be had back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import nubbin
from nubbin.journal.recorded_run import RecordedRun
from nubbin.reduction.events import Event, Improved, ListStarted
from nubbin.reduction.recorded.inspection import restore
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError
from nubbin_core.search.problem import Answered

Script = Callable[..., Path]

TEXT = b"".join(b"%d\n" % number for number in range(200))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.txt"
    path.write_bytes(TEXT)
    return path


def course(events: list[Event]) -> list[tuple[int, str, int]]:
    """Return queries, pass and bytes of what was accepted, from what observers were told."""
    queries, step, accepted = 0, "", [(0, "", len(TEXT))]
    for event in events:
        queries += isinstance(event, Answered)
        if isinstance(event, ListStarted):
            step = event.name
        if isinstance(event, Improved):
            accepted.append((queries, step, event.sizes.bytes))
    return accepted


def test_the_history_is_what_happened_however_often_it_was_broken_off(
    script: Script, tmp_path: Path, source: Path
) -> None:
    run, events = tmp_path / "run", list[Event]()
    test = script("grep -qx 17 numbers.txt && grep -qx 142 numbers.txt")
    reduce(test, source, record=tmp_path / "whole", observers=[events.append])
    reduce(test, source, output=tmp_path / "part", record=run, jobs=1, max_queries=9)
    resume(run, jobs=2)
    history = RecordedRun.open(run)
    assert [(each.queries, each.pass_name, each.bytes) for each in history.steps] == course(events)
    assert len(history.steps) > 5
    assert len({each.pass_name for each in history.steps}) > 2
    first, second = history.facts.sessions
    assert first.begun < second.begun
    assert first.nubbin == second.nubbin == nubbin.__version__


def test_every_accepted_candidate_comes_back(script: Script, tmp_path: Path, source: Path) -> None:
    run = tmp_path / "run"
    source.chmod(0o640)
    result = reduce(script("grep -qx 17 numbers.txt"), source, record=run)
    for each in RecordedRun.open(run).steps:
        back = tmp_path / f"back-{each.number}"
        restore(run, each.number, back)
        assert len(back.read_bytes()) == each.bytes
        assert back.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "back-1").read_bytes() == TEXT
    restore(run, None, tmp_path / "best")
    assert (tmp_path / "best").read_bytes() == result.data


def test_what_is_there_is_not_written_over(script: Script, tmp_path: Path, source: Path) -> None:
    run = tmp_path / "run"
    reduce(script("grep -qx 17 numbers.txt"), source, record=run)
    with pytest.raises(NubbinError, match="already"):
        restore(run, 1, source)
    with pytest.raises(NubbinError, match="no candidate 99"):
        restore(run, 99, tmp_path / "back")
    with pytest.raises(NubbinError, match="no recorded run"):
        restore(tmp_path, 1, tmp_path / "back")


def test_a_folder_comes_back(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("a\n" * 9)
    (folder / "b.txt").write_text("b\n" * 9)
    run = tmp_path / "run"
    reduce(script("grep -q b work/b.txt"), folder, record=run)
    restore(run, 1, tmp_path / "back")
    assert {each.name: each.read_text() for each in (tmp_path / "back").iterdir()} == {
        "a.txt": "a\n" * 9,
        "b.txt": "b\n" * 9,
    }


def test_the_result_is_kept_from_other_runs(script: Script, tmp_path: Path, source: Path) -> None:
    run = tmp_path / "run"
    test = script("grep -qx 17 numbers.txt")
    part = reduce(test, source, record=run, max_queries=5)
    assert (run / "best" / "numbers.reduced.txt").read_bytes() == part.data
    result = resume(run)
    reduce(script("grep -qx 18 numbers.txt"), source, output=result.output)
    assert result.output.read_bytes() == b"18"
    assert (run / "best" / "numbers.reduced.txt").read_bytes() == result.data == b"17"


def test_a_run_goes_on_without_its_input(script: Script, tmp_path: Path, source: Path) -> None:
    run = tmp_path / "run"
    test = script("grep -qx 17 numbers.txt")
    whole = reduce(test, source, output=tmp_path / "whole")
    reduce(test, source, record=run, max_queries=5)
    source.unlink()
    assert resume(run).data == whole.data
    restore(run, 1, source)
    assert source.read_bytes() == TEXT
