"""The lower end of a terminal, repainted in place."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"  # synchronised output: show the frame at once
_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
_CLEAR_LINE, _CLEAR_BELOW = "\x1b[K", "\x1b[J"


class Screen:
    """Paints frames over one another, each in a single write and no line blanked before.

    Every line is overwritten, then cleared from its end on, so nothing flickers. When the window
    has become narrower, the terminal has folded the old lines; how often is known from their
    widths, and the next frame starts where the old one did.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._widths: list[int] = []  # of the lines on display, in columns

    def paint(self, lines: Sequence[Text], above: Sequence[Text] = ()) -> None:
        """Show `lines` in place of the last frame; `above` scrolls away over it and stays."""
        text = self._home()
        for line in above:
            text += self._render(line) + _CLEAR_LINE + "\n"
        text += (_CLEAR_LINE + "\n").join(self._render(line) for line in lines)
        self._widths = [line.cell_len for line in lines]
        self._write(_BEGIN + _HIDE_CURSOR + text + _CLEAR_BELOW + _END)

    def close(self) -> None:
        """Wipe the last frame and give the cursor back."""
        self._write(self._home() + _CLEAR_BELOW + _SHOW_CURSOR)
        self._widths = []

    def _home(self) -> str:
        columns = max(self._console.width, 1)
        up = sum(max(1, -(-width // columns)) for width in self._widths) - 1
        return f"\r\x1b[{up}A" if up > 0 else "\r"

    def _render(self, line: Text) -> str:
        with self._console.capture() as captured:
            self._console.print(line, end="", no_wrap=True, overflow="crop", highlight=False)
        return captured.get()

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()
