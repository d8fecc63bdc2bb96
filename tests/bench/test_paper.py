"""bench/paper: every query counted whatever the cache holds, resumable, and honest about ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import paper_suites
from paper_record import Record
from paper_runs import Job, Row, run
from peer_runs import Case

PROGRAM = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(30))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("perses-small", "chisel-small", "notes"):
        place = tmp_path / "cases" / name
        place.mkdir(parents=True)
        (place / "input.c").write_text(PROGRAM)
        (place / "test.sh").write_text("#!/bin/sh\ngrep -q f17 input.c && grep -q f3 input.c\n")
        (place / "test.sh").chmod(0o755)
        about = {"input": "input.c", "test": "test.sh", "format": "c", "ms_per_query": 9}
        (place / "case.json").write_text(json.dumps(about))
    return tmp_path / "cases"


def job(folder: Path, framework: str, algorithm: str, max_queries: int = 1000) -> Job:
    case = Case.load(folder / "perses-small")
    return Job("programs", case, framework, algorithm, 0, 0.1, max_queries, 600)


@pytest.mark.parametrize("framework", paper_suites.FRAMEWORKS)
@pytest.mark.parametrize("algorithm", ["ddmin", "probdd", "cdd", "auto"])
def test_a_run_counts_alike_with_and_without_answers_at_hand(
    folder: Path, tmp_path: Path, framework: str, algorithm: str
) -> None:
    chosen = job(folder, framework, algorithm)
    first = run(chosen, tmp_path / "cache.sqlite")
    again = run(chosen, tmp_path / "cache.sqlite")
    assert first.checked
    assert first.end == "fixpoint"
    assert first.queries == first.complement + first.revisit + first.other > 0
    assert first.queries == again.queries
    assert first.seconds == again.seconds > 0  # those of the first time, when the test was run
    assert first.tokens == again.tokens < first.tokens_before


def test_kinds_are_those_of_the_paper(folder: Path, tmp_path: Path) -> None:
    ddmin = run(job(folder, "lines", "ddmin"), tmp_path / "cache")
    cdd = run(job(folder, "lines", "cdd"), tmp_path / "cache")
    assert ddmin.complement > ddmin.complement_succeeded
    assert ddmin.revisit > 0
    assert (cdd.complement, cdd.revisit) == (0, 0)
    assert cdd.other_succeeded > 0


def test_a_limit_ends_a_run_with_what_it_has(folder: Path, tmp_path: Path) -> None:
    row = run(job(folder, "lines", "ddmin", max_queries=7), tmp_path / "cache")
    assert (row.end, row.queries, row.checked) == ("max-queries", 7, True)


def test_lists_left_loose_are_counted_and_the_last_lap_leaves_none(
    folder: Path, tmp_path: Path
) -> None:
    """Uses before definitions: cdd, which goes forward once, cannot know what it unlocks."""
    test = folder / "perses-small/test.sh"
    test.write_text(
        "#!/bin/sh\ngrep -q f17 input.c && (grep -q f3 input.c || ! grep -q f16 input.c)\n"
    )
    row = run(job(folder, "hdd", "cdd"), tmp_path / "cache")
    assert 0 < row.loose < row.lists
    assert row.removable >= row.loose
    assert row.loose_last == 0


def test_what_was_recorded_is_read_again(folder: Path, tmp_path: Path) -> None:
    row = run(job(folder, "hdd", "auto"), tmp_path / "cache")
    Record.load(tmp_path / "raw/runs.csv").add(row)
    record = Record.load(tmp_path / "raw/runs.csv")
    assert record.rows == {job(folder, "hdd", "auto").key: row}
    assert isinstance(next(iter(record.rows.values())), Row)


def test_a_case_that_is_not_interesting_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "perses-small/test.sh").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(ValueError, match="perses-small: its test does not find it interesting"):
        run(job(folder, "hdd", "auto"), tmp_path / "cache")


def test_suites_are_folders_by_name_or_glob(folder: Path) -> None:
    def names(suite: str) -> list[str]:
        return [case.folder.name for case in paper_suites.cases(folder, suite)]

    assert names("programs") == ["perses-small"]
    assert names("debloating") == ["chisel-small"]
    assert names("xml") == []
    assert names("others") == ["notes"]
    assert names("mine=*-small") == ["chisel-small", "perses-small"]
    assert paper_suites.quick(paper_suites.cases(folder, "programs"), 8) == []
