"""What a terminal shows: job control, resizing, text that would command it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from terminals import Shell

Script = Callable[..., Path]

SHOWN, HIDDEN = b"\x1b[?1049h", b"\x1b[?1049l"  # the alternate screen
CURSOR = b"\x1b[?25h"


REDUCE = "reduce -j1 --timeout 1h ./test.sh letters.txt"


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(
    waiting: Path, tmp_path: Path
) -> None:
    with Shell(tmp_path) as shell:
        shell.enter(f"{shell.nubbin} {REDUCE}\n")
        shell.until(SHOWN, b"letters.txt")
        shell.enter("\x1a")
        shell.until(CURSOR, HIDDEN)
        shell.enter("echo in the she'll'\n")
        shell.until(b"in the shell")
        shell.resize(50, 12)
        shell.enter("fg\n")
        shell.until(SHOWN, b"letters.txt")
        waiting.write_text("go\n")
        rest = shell.until(HIDDEN, b"1-minimal", b"letters.reduced.txt", b"$ ")
        assert rest.rindex(CURSOR) < rest.index(b"1-minimal")
    assert (tmp_path / "letters.reduced.txt").read_text() == "a"


def test_a_run_in_the_background_paints_nothing(waiting: Path, tmp_path: Path) -> None:
    with Shell(tmp_path) as shell:
        shell.enter(f"{shell.nubbin} {REDUCE} & echo go >go; wait; echo do'ne'\n")
        assert SHOWN not in shell.until(b"1-minimal", b"done")


def test_a_window_of_another_size_gets_a_frame_of_that_size(waiting: Path, tmp_path: Path) -> None:
    with Shell(tmp_path) as shell:
        shell.enter(f"{shell.nubbin} {REDUCE}\n")
        shell.until(SHOWN, b"\x1b[24;1H")
        shell.resize(30, 8)
        shell.until(b"\x1b[1;1H")
        # A frame begins each second; some were begun before the window changed.
        frames = (shell.until(b"\x1b[8;1H", b"\x1b[1;1H") for _ in range(100))
        assert any(b"\x1b[9;1H" not in each for each in frames)
        waiting.write_text("go\n")
        shell.until(HIDDEN, b"letters.reduced.txt")


def test_in_a_narrow_window_no_finding_is_erased(letters: Path, script: Script) -> None:
    script("grep -q a letters.txt")
    with Shell(letters.parent, columns=30) as shell:
        shell.enter(f"{shell.nubbin} check ./test.sh letters.txt\n")
        shown = shell.until(b"The test can be trusted")
    assert b"checking the test" in shown
    assert b"\x1b[1A\x1b[2K\x1b[1A" not in shown  # a display of several lines is erased


@pytest.mark.parametrize("arguments", ["", "--prints none", "--quiet", "--verbose"])
def test_what_a_wrong_test_prints_does_not_reach_the_terminal(
    script: Script, letters: Path, arguments: str
) -> None:
    script(r"printf '\033]0;title\a\033[31mred\302\233m\342\200\256\377\n'; exit 3")
    with Shell(letters.parent) as shell:
        shell.enter(f"{shell.nubbin} reduce {arguments} ./test.sh letters.txt\n")
        shown = shell.until(rb"\x1b]0;title\x07\x1b[31mred\x9bm\u202e" + "\ufffd".encode())
        for raw in (b"\x07", b"\x1b]0", b"\x1b[31mred", "\x9b".encode(), "\u202e".encode()):
            assert raw not in shown
