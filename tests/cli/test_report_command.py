from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from journal.damage import COLUMNS, WAYS, damage_value
from nubbin.cli import main
from nubbin.journal import schema
from nubbin.journal.journal import Journal
from nubbin.reduction.reduce import reduce

Script = Callable[..., Path]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("done")
    source, test = folder / "letters.txt", folder / "test.sh"
    source.write_text("".join(f"{chr(code)}\n" for code in range(97, 123)))
    test.write_text("#!/bin/sh\ngrep -q j letters.txt\n")
    test.chmod(0o755)
    reduce(test, source, jobs=1, smallest="lines", record=folder / "run")
    return folder / "run"


@pytest.fixture
def run(done: Path, tmp_path: Path) -> Path:
    shutil.copytree(done, tmp_path / "run")
    return tmp_path / "run"


def report(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, words)])


def test_the_last_run_here_by_default(
    script: Script, letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reduce(script("grep -q j letters.txt"), letters, jobs=1, record=True)
    assert f"report: {tmp_path}/letters.report.html" in report().stderr
    assert "<h1>letters.txt</h1>" in Path("letters.report.html").read_text()
    assert report("--markdown", "-o", "report.md").exit_code == 0
    assert "### `letters.txt`, reduced by nubbin" in Path("report.md").read_text()
    assert report("--markdown").stdout == Path("report.md").read_text()


def test_the_name_of_an_input_is_no_path(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect(run / schema.FILE, isolation_level=None)) as store:
        schema.tell(store, {**schema.told(store), "name": "../../up\n"})
    assert report(run).exit_code == 0
    assert [each.name for each in tmp_path.glob("*.html")] == ["up\\n.report.html"]


def test_what_is_there_stays(run: Path, letters: Path) -> None:
    before = letters.read_bytes()
    told = report(run, "-o", letters)
    assert told.exit_code == 1
    assert "not a report by nubbin" in told.stderr
    assert letters.read_bytes() == before


def test_wrong_use(run: Path, tmp_path: Path) -> None:
    assert "There is no recorded run in" in report(tmp_path / "no", "-o", "-").stderr
    assert report(run, "-o", tmp_path / "no" / "folder").exit_code == 1


def test_a_run_under_way_says_so(run: Path, tmp_path: Path) -> None:
    with Journal(run):
        told = report(run, "-o", "-")
    assert "Under way: this is the best so far." in told.stdout
    with Journal(run) as journal:
        journal.tell(ended=None)
    assert "Killed: this is the best so far." in report(run, "-o", "-").stdout


def test_different_failures_that_cannot_be_read_are_left_out(run: Path) -> None:
    bug = run / "other" / "abc"
    bug.mkdir(parents=True)
    (bug / "output.txt").write_text("error: <b>other")
    os.mkfifo(bug / "pipe")
    (bug / "input").symlink_to("/etc")
    told = report(run, "-o", "-")
    assert "<summary>error: &lt;b&gt;other (0 bytes)</summary>" in told.stdout
    assert "root:" not in told.stdout


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]]
)
def test_damage_is_reported(
    run: Path, tmp_path: Path, table: str, column: str, way: Callable[[object], object]
) -> None:
    changed = damage_value(run / "journal.sqlite", table, column, way)  # type: ignore[arg-type]
    told = report(run, "-o", tmp_path / "report.html")
    assert told.exception is None or isinstance(told.exception, SystemExit)
    essential = table in {"about", "accepted"}
    assert told.exit_code == (1 if changed and essential else 0)
    assert (tmp_path / "report.html").exists() == (told.exit_code == 0)
    if told.exit_code:
        assert told.stderr.startswith("nubbin: ")


@pytest.mark.parametrize(
    "facts",
    [
        {"sessions": "abc"},
        {"sessions": [{"begun": "now"}]},
        {"sessions": [{"begun": 1}]},
        {"start": "x"},
        {"test_digest": 7, "flaky": True, "original": "ab"},
        {"options": 1, "seed": "x" * 100},
        {"name": "../../etc/passwd"},
        {"name": 3},
        {"depth": "deep"},
        {"root": 1},
        {"ended": ["x"]},
        {"keep": "["},
        {"algorithm": "no"},
    ],
)
def test_facts_that_cannot_be(run: Path, facts: dict[str, object]) -> None:
    """A journal that somebody made has good seals."""
    with closing(sqlite3.connect(run / schema.FILE, isolation_level=None)) as store:
        schema.tell(store, {**schema.told(store), **facts})
    told = report(run, "-o", "-")
    assert told.exception is None or isinstance(told.exception, SystemExit), facts
    assert told.exit_code in (0, 1)
