"""Standard output and standard error that are closed, full, or read by nobody."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import mostly_nightly
from nubbin.journal.recorded_run import runs_in

Script = Callable[..., Path]


@pytest.fixture
def test(script: Script) -> Path:
    return script("grep -q e letters.txt && grep -q t letters.txt")


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in which `nubbin` is the command; `status` gets its exit code."""
    nubbin = f'nubbin() {{ "{sys.executable}" -m nubbin "$@"; echo $? >status; }}\n'
    return subprocess.run(
        ["/bin/sh", "-c", nubbin + line], cwd=folder, capture_output=True, check=True
    )


@pytest.mark.parametrize(
    "streams",
    [
        "2>&1 | head -n 1",
        "<&- >&- 2>&-",
        *mostly_nightly(
            [
                "2>/dev/full",
                "2>/dev/null | true",
                "2>&-",
                ">&-",
                ">&- 2>&-",
                "<&-",
                ">&- 2>/dev/full",
            ],
            [],
        ),
    ],
)
def test_a_reduction_goes_on_whoever_reads_it(test: Path, letters: Path, streams: str) -> None:
    said = shell(f"nubbin reduce -v {test} {letters} {streams}", letters.parent)
    assert (letters.parent / "status").read_text() == "0\n"
    assert letters.with_name("letters.reduced.txt").read_text() == "et"
    assert b"Traceback" not in said.stderr
    assert [run.state for run in runs_in(letters.parent)] == ["fixpoint"]


def test_no_file_takes_the_place_of_a_closed_stream(test: Path, letters: Path) -> None:
    shell(f"nubbin reduce -v --stats s.json {test} {letters} <&- >&- 2>&-", test.parent)
    assert (test.parent / "s.json").read_text().startswith("{")
    (journal,) = test.parent.glob(".nubbin/*/journal.sqlite")
    assert journal.read_bytes().startswith(b"SQLite format 3\0")


def test_a_full_disk_behind_standard_output_is_told(test: Path, letters: Path) -> None:
    said = shell(f"nubbin reduce -q {test} {letters} >/dev/full", letters.parent)
    assert (letters.parent / "status").read_text() == "1\n"
    assert said.stderr == b"nubbin: Standard output cannot be written: No space left on device.\n"
    assert letters.with_name("letters.reduced.txt").read_text() == "et"
    for command in ("log", "log last", "--help"):
        said = shell(f"nubbin {command} >/dev/full", letters.parent)
        assert (letters.parent / "status").read_text() == "1\n"
        assert b"Traceback" not in said.stderr
        assert b"cannot be written" in said.stderr


def test_a_list_that_is_read_in_part_is_no_error(test: Path, letters: Path) -> None:
    shell(f"nubbin reduce {test} {letters}", letters.parent)
    said = shell("nubbin log last | head -n 1", letters.parent)
    assert (letters.parent / "status").read_text() == "0\n"
    assert (said.stdout, said.stderr) == (f"input: {letters}\n".encode(), b"")


def test_a_pipe_that_does_not_block_gets_everything(test: Path, letters: Path) -> None:
    shell(f"nubbin reduce {test} {letters}", letters.parent)
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    with subprocess.Popen(
        [sys.executable, "-m", "nubbin", "reduce", "--help-all"], stdout=writer
    ) as process:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            text = pipe.read()
    assert process.returncode == 0
    assert len(text) > 4096
    assert b"130  interrupted" in text
