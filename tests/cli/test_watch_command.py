"""`nubbin watch` in a terminal and without one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import mostly_nightly
from terminals import Shell
from watch.recorded import record

Script = Callable[..., Path]

SHOWN, HIDDEN = b"\x1b[?1049h", b"\x1b[?1049l"  # the alternate screen


def watch(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "nubbin", "watch", *words]
    return subprocess.run(
        line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def test_without_a_terminal_a_run_is_lines(tmp_path: Path) -> None:
    record(tmp_path / "run")
    told = watch(tmp_path, "run")
    assert (told.returncode, told.stderr) == (0, "")
    assert "13 → 6 bytes   53.8 % removed   10 queries" in told.stdout
    assert "\x1b" not in told.stdout


def test_without_a_terminal_runs_are_listed(tmp_path: Path) -> None:
    (tmp_path / ".nubbin").mkdir()
    record(tmp_path / ".nubbin" / "one")
    listed = watch(tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in listed] == ["run", "one"]


def test_a_run_that_is_not_there_is_told(tmp_path: Path) -> None:
    told = watch(tmp_path, "nowhere")
    assert (told.returncode, told.stdout) == (1, "")
    assert "There is no recorded run in nowhere" in told.stderr


def test_it_cannot_be_opened_at_once_without_a_terminal(script: Script, letters: Path) -> None:
    line = [sys.executable, "-m", "nubbin", "reduce", "--watch"]
    told = subprocess.run(
        [*line, script("true"), letters], capture_output=True, text=True, check=False
    )
    assert told.returncode == 2
    assert "--watch needs a terminal" in told.stderr


def test_it_is_left_with_a_key_and_with_ctrl_c_and_has_no_colours_if_none_are_wanted(
    tmp_path: Path,
) -> None:
    record(tmp_path / "run")
    shown = b""
    with Shell(tmp_path) as shell:
        for key in ("q", "\x03"):
            shell.enter(f"NO_COLOR=1 {shell.nubbin} watch run\n")
            shown += shell.until(SHOWN, b"1-minimal")
            shell.enter(key)
            shown += shell.until(HIDDEN, b"$ ")
            shell.enter("echo code=$?\n")
            shell.until(b"code=0")
    codes = {code for each in re.findall(rb"\x1b\[([0-9;]*)m", shown) for code in each.split(b";")}
    assert not {code for code in codes if re.fullmatch(rb"[349][0-8]", code)}


@pytest.mark.parametrize("leaves_at_the_end", mostly_nightly([True, False], [False]))
def test_a_run_goes_on_when_its_view_is_left(
    waiting: Path, tmp_path: Path, leaves_at_the_end: bool
) -> None:
    with Shell(tmp_path) as shell:
        shell.enter(f"{shell.nubbin} reduce -j1 --timeout 1h --watch ./test.sh letters.txt\n")
        shell.until(SHOWN, b"under way")
        if leaves_at_the_end:
            waiting.write_text("go\n")
            shell.until(b"1-minimal")
            shell.enter("q")
        else:
            shell.enter("q")
            shell.until(HIDDEN, SHOWN, b"Ctrl-C stops")
            waiting.write_text("go\n")
        shell.until(HIDDEN, b"1-minimal", b"letters.reduced.txt", b"$ ")
    assert (tmp_path / "letters.reduced.txt").read_text() == "a"
