"""Standard input as INPUT, and what goes to standard output: path, result, figures, or events."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults import ASKER, PATIENCE_S
from nubbin.journal.recorded_run import runs_in

Script = Callable[..., Path]
NUBBIN = [sys.executable, "-m", "nubbin"]


@pytest.fixture
def test(script: Script) -> Path:
    return script('grep -q e "$1" && grep -q t "$1"')


def ran(folder: Path, *words: str | Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*NUBBIN, *map(str, words)]
    said = subprocess.run(command, cwd=folder, input=data, capture_output=True, check=False)
    assert b"Traceback" not in said.stderr
    return said


def events(said: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.stdout.splitlines()]


def folder_of(letters: Path) -> Path:
    """Return an empty folder to be in."""
    folder = letters.with_name("here")
    folder.mkdir()
    return folder


@pytest.mark.parametrize("stream", ["-", "/dev/stdin"])
def test_standard_input_is_a_file_with_a_name(
    script: Script, letters: Path, tmp_path: Path, stream: str
) -> None:
    here, data = folder_of(letters), letters.read_bytes()
    test = script('[ "$(basename "$1")" = any.json ] && grep -q e any.json')
    said = ran(here, "reduce", "-q", test, stream, "--name", "any.json", data=data)
    assert said.stdout == f"{here}/any.reduced.json\n".encode()
    assert (here / "any.reduced.json").read_text() == "e"
    (run,) = runs_in(here)
    assert b"input: /dev/stdin/any.json\n" in ran(here, "log", "last").stdout
    assert ran(here, "verify").returncode == 0
    assert run.state == "fixpoint"


def test_a_substituted_process_is_an_input(test: Path, letters: Path) -> None:
    line = f"{sys.executable} -m nubbin reduce -q {test} <(cat {letters}) -o -"
    said = subprocess.run(["bash", "-c", line], cwd=letters.parent, capture_output=True, check=True)
    assert said.stdout == b"et"


def test_the_name_stands_for_the_candidate_in_a_command(letters: Path) -> None:
    data = letters.read_bytes()
    for options in (["--name", "letters.txt"], []):
        line = "grep -q e letters.txt" if options else "grep -q e"
        said = ran(
            letters.parent, "reduce", *options, "-o", "-", "-", "--run", line, "--exits", "0",
            data=data,
        )  # fmt: skip
        assert said.stdout == b"e"


def test_a_stream_that_ended_early_can_go_on(test: Path, letters: Path) -> None:
    here = folder_of(letters)
    said = ran(
        here, "reduce", "--max-queries", "2", "-o", "-", test, "-", data=letters.read_bytes()
    )
    assert 2 < len(said.stdout) < 52
    said = ran(here, "resume", "-q")
    assert Path(said.stdout.decode().strip()).read_text() == "et"
    assert [path.name for path in here.iterdir()] == [".nubbin"]


def test_only_the_result_goes_to_standard_output(test: Path, letters: Path) -> None:
    here = folder_of(letters)
    assert ran(here, "reduce", test, letters, "-o", "-").stdout == b"et"
    assert [path.name for path in here.iterdir()] == [".nubbin"]
    assert not letters.with_name("letters.reduced.txt").exists()
    (run,) = runs_in(here)
    assert (run.folder / ".gitignore").read_text() == "*\n"
    assert (run.folder / "output" / "letters.txt").read_text() == "et"


def test_no_folder_is_left_of_a_run_that_never_began(script: Script, letters: Path) -> None:
    here, run = folder_of(letters), letters.with_name("run")
    run.mkdir()
    places: list[list[str | Path]] = [[], ["--run-dir", run], ["--run-dir", run / "new"]]
    for place in places:
        said = ran(here, "reduce", "-o", "-", *place, script("exit 1"), letters)
        assert (said.returncode, said.stdout) == (1, b"")
    assert [*here.rglob("*")] == [here / ".nubbin"]
    assert not [*run.iterdir()]


def test_figures_go_to_standard_output_alone(test: Path, letters: Path) -> None:
    said = ran(letters.parent, "reduce", "--stats", "-", test, letters)
    figures = json.loads(said.stdout)
    assert figures["output"] == str(letters.with_name("letters.reduced.txt"))
    assert not letters.with_name("-").exists()


def test_events_tell_the_whole_run(test: Path, letters: Path) -> None:
    said = ran(letters.parent, "reduce", "--json", test, letters)
    assert (said.returncode, said.stderr) == (0, b"")
    begin, *course, result = events(said)
    checks = [course.pop(0) for event in [*course] if event["event"] == "checking"]
    assert checks[0]["run"] == 1
    started = course.pop(0)
    assert (begin["event"], begin["schema"]) == ("begin", 1)
    assert (started["event"], started["name"]) == ("started", "letters.txt")
    assert {event["event"] for event in course} == {"list-started", "improved"}
    sizes = [event["sizes"]["bytes"] for event in course if event["event"] == "improved"]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 2
    assert (result["event"], result["exit_code"], result["minimal"]) == ("result", 0, True)
    assert Path(result["output"]).read_text() == "et"
    assert result["run"] == started["run"]
    asked = events(ran(letters.parent, "reduce", "--json", "-v", test, letters))
    queries = [event for event in asked if event["event"] == "answered"]
    assert len(queries) == result["queries"]
    assert {event["verdict"] for event in queries} == {"interesting", "uninteresting"}


def test_events_tell_what_was_learned_and_that_a_test_has_changed(
    script: Script, letters: Path, tmp_path: Path
) -> None:
    script("if grep -q e $1; then echo failed: no e >&2; exit 3; fi", "tool")
    line = ["--run", "./tool", "--run-dir", "run", "--max-queries", "3", "--json"]
    said = events(ran(tmp_path, "reduce", *line, letters))
    (learned,) = (event for event in said if event["event"] == "learned")
    asked = {"exits": "3", "prints": "failed: no e", "known_errors": "(?!)"}
    assert learned["conditions"] == asked
    script("if grep -q e $1; then echo failed: no e >&2; exit 3; fi\n", "tool")
    changed = events(ran(tmp_path, "resume", "--json", "run"))
    assert changed[1]["event"] == "changed-test"
    assert changed[-1]["event"] == "result"


@pytest.mark.parametrize(
    ("words", "exit_code", "message"),
    [
        (["reduce", "nothing.sh", "letters.txt"], 1, "no test at"),
        (["reduce", "--nothing"], 2, "No such option"),
        (["reduce", "-a", "best", "test.sh", "letters.txt"], 2, "no algorithm 'best'"),
        (["reduce", "-o", "-", "test.sh", "letters.txt"], 2, "only one can have standard output"),
        (["reduce", "--keep", "[", "test.sh", "letters.txt"], 2, "not a regular expression"),
        (["resume", "nothing"], 1, "no recorded run"),
    ],
)
def test_errors_are_events(
    test: Path, letters: Path, words: list[str], exit_code: int, message: str
) -> None:
    said = ran(letters.parent, *words, "--json")
    assert (said.returncode, said.stderr) == (exit_code, b"")
    error = events(said)[-1]
    assert (error["event"], error["exit_code"]) == ("error", exit_code)
    assert message in error["message"]


def test_an_interrupt_is_told_by_the_last_event(script: Script, letters: Path) -> None:
    up = letters.with_name("up")
    test = script(f'grep -q e "$1" || exit 1; [ -e {up} ] && kill -INT {ASKER}; exit 0')
    with subprocess.Popen(
        [*NUBBIN, "reduce", "--json", "-j", "1", test, letters], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "started":
                up.touch()
        assert process.wait(PATIENCE_S) == 128 + signal.SIGINT
    last = json.loads(line)
    assert (last["event"], last["exit_code"]) == ("result", 130)
    assert last["reason"] == "interrupted"


def test_a_reader_of_events_that_goes_away_changes_nothing(test: Path, letters: Path) -> None:
    line = f"{sys.executable} -m nubbin reduce --json {test} {letters} | head -n 1"
    said = subprocess.run(line, shell=True, capture_output=True, check=True)
    assert b'"begin"' in said.stdout
    assert said.stderr == b""
    assert letters.with_name("letters.reduced.txt").read_text() == "et"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-", "letters.txt"], "cannot be one of several"),
        (["-i", "-"], "--in-place needs a file"),
        (["--name", "x", "letters.txt"], "has its own name"),
        (["--name", "x/y", "-"], "is not a name of a file"),
        (["--name", "", "-"], "is not a name of a file"),
        (["--name", "x" * 256, "-"], "is not a name of a file"),
        (["-o", "-", "."], "the result is a folder"),
        (["-o", "-", "--stats", "-", "-"], "--output - and --stats -"),
    ],
)
def test_streams_that_make_no_sense(
    test: Path, letters: Path, words: list[str], message: str
) -> None:
    said = ran(letters.parent, "reduce", test, *words, data=b"et")
    assert (said.returncode, said.stdout) == (2, b"")
    assert message in said.stderr.decode()
