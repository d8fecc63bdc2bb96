from __future__ import annotations

import io
import re

from rich.console import Console
from rich.text import Text

from nubbin.report.screen import Screen


class Terminal:
    """As much of a terminal as a screen needs: lines, a cursor, and clearing."""

    def __init__(self) -> None:
        self.lines = [""]
        self.row = self.column = 0

    def feed(self, text: str) -> None:
        for part in re.findall(r"\x1b\[\??[0-9;]*[a-zA-Z]|\n|\r|[^\x1b\n\r]+", text):
            if part == "\n":
                self.row, self.column = self.row + 1, 0
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif part == "\r":
                self.column = 0
            elif part == "\x1b[K":
                self.lines[self.row] = self.lines[self.row][: self.column]
            elif part == "\x1b[J":
                self.lines[self.row] = self.lines[self.row][: self.column]
                del self.lines[self.row + 1 :]
            elif part.startswith("\x1b["):
                if part.endswith("A"):
                    self.row -= int(part[2:-1])
                    assert self.row >= 0
            else:
                line = self.lines[self.row]
                self.lines[self.row] = line[: self.column] + part + line[self.column + len(part) :]
                self.column += len(part)


def painted(*frames: list[str], above: tuple[str, ...] = ()) -> Terminal:
    console = Console(file=io.StringIO(), width=40, force_terminal=True, _environ={})
    screen, terminal = Screen(console), Terminal()
    for lines in frames:
        screen.paint([Text(line) for line in lines], [Text(line) for line in above])
    screen.close() if not frames[-1] else None
    assert isinstance(console.file, io.StringIO)
    terminal.feed(console.file.getvalue())
    return terminal


def test_a_frame_replaces_the_one_before() -> None:
    assert painted(["one", "two", "three"], ["eins", "z"]).lines == ["eins", "z"]
    assert painted(["one"], ["eins", "zwei"]).lines == ["eins", "zwei"]


def test_lines_above_stay() -> None:
    terminal = painted(["frame", "frame"], ["other", "frame"], above=("said",))
    assert terminal.lines == ["said", "said", "other", "frame"]


def test_closing_leaves_nothing() -> None:
    assert painted(["one", "two"], []).lines == [""]


def test_folded_lines_of_a_narrowed_window_are_painted_over() -> None:
    console = Console(file=io.StringIO(), width=40, force_terminal=True, _environ={})
    screen = Screen(console)
    screen.paint([Text("x" * 30), Text("y" * 5)])
    console.width = 10
    screen.paint([Text("z")])
    assert isinstance(console.file, io.StringIO)
    last = console.file.getvalue().split("\x1b[?2026h")[-1]
    assert "\x1b[3A" in last  # 30 columns are three lines of ten; the fourth holds the cursor
