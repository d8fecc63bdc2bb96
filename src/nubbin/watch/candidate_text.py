"""The best candidate as a person reads it, with what has just vanished: text, or bytes as hex."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.syntax import Syntax
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from nubbin.report.figures import count, counted
from nubbin.report.visible import printable, visible
from nubbin.watch.excerpt import Piece, excerpt
from nubbin.watch.vanished import Fate, parts

_STYLES = {Fate.KEPT: "", Fate.GONE: "red strike", Fate.NEW: "green underline"}
_MARKS = {Fate.KEPT: " ", Fate.GONE: "-", Fate.NEW: "+"}
_BRACKETS = {Fate.GONE: ("[-", "-]"), Fate.NEW: ("{+", "+}")}  # as wdiff has them
_SAMPLE_BYTES = 1 << 13
_MAX_STRAY_FRACTION = 0.1  # of the bytes of a text that are none
_HEX_COLUMNS = 16  # bytes a row
_MAX_NAMES = 4


def candidate_text(
    before: Mapping[str, bytes], now: Mapping[str, bytes], *, colours: bool = True
) -> Text:
    """Return the best, and what it has lost since the one before it, which is empty for the first.

    Of several files, one that has just changed. Without `colours`, what is gone and what is new
    stands in brackets. Nothing in it commands a terminal.
    """
    before = before or now
    changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
    path = next((path for path in (*changed, *now) if path in now), None)
    text = _about_files(now, changed, path) if len(before) > 1 else Text()
    if path is None:
        return text.append("Nothing is left.", "dim")
    old, new = before.get(path, b""), now[path]
    if is_binary(old) or is_binary(new):
        return text.append_text(_hex(excerpt(parts(old, new, binary=True))))
    return text.append_text(_highlighted(path, excerpt(parts(old, new)), colours=colours))


def is_binary(data: bytes) -> bool:
    """Tell whether the beginning of some bytes is no text."""
    sample = data[:_SAMPLE_BYTES]
    stray = sum("\udc80" <= char <= "\udcff" for char in sample.decode(errors="surrogateescape"))
    return b"\0" in sample or stray > _MAX_STRAY_FRACTION * len(sample)


def _about_files(now: Mapping[str, bytes], changed: Sequence[str], path: str | None) -> Text:
    text = Text(counted(len(now), "file"), "dim")
    if changed:
        names = ", ".join(map(printable, changed[:_MAX_NAMES]))
        more = len(changed) - _MAX_NAMES
        text.append(f"; just changed: {names}{f' and {count(more)} more' if more > 0 else ''}")
    return text.append(f"\n{printable(path)}\n" if path else "\n", "bold")


def _hex(pieces: Sequence[Piece]) -> Text:
    """Return bytes as rows of hexadecimal numbers and characters, each after its offset."""
    text, at = Text(), 0
    for (fate, data), is_shown in pieces:
        if not is_shown:
            text.append(f"{_MARKS[fate]}... {counted(len(data), 'byte')}\n", "dim")
        for start in range(0, len(data) if is_shown else 0, _HEX_COLUMNS):
            row = data[start : start + _HEX_COLUMNS]
            chars = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
            text.append(f"{_MARKS[fate]}{at + start:08x} ", "dim")
            text.append(f"{row.hex(' '):<{3 * _HEX_COLUMNS}}{chars}\n", _STYLES[fate])
        if fate is not Fate.GONE:
            at += len(data)
    return text


def _highlighted(path: str, pieces: Sequence[Piece], *, colours: bool) -> Text:
    """Return a text in the colours of its language, which the name tells."""
    shown = [
        (fate, is_shown, visible(data.decode(errors="surrogateescape")) if is_shown else data)
        for (fate, data), is_shown in pieces
    ]
    code = "".join(
        data for fate, _, data in shown if isinstance(data, str) and fate is not Fate.GONE
    )
    whole, at = _coloured(path, code), 0
    text = Text()
    for fate, _, data in shown:
        if isinstance(data, bytes):
            lines = counted(data.count(b"\n"), "line")
            text.append(f"\n... {lines}, {counted(len(data), 'byte')} ...\n", "dim")
            continue
        opening, closing = ("", "") if colours else _BRACKETS.get(fate, ("", ""))
        text.append(opening)
        if fate is Fate.GONE:
            text.append(data, _STYLES[fate])
        else:
            part = whole[at : at + len(data)]
            part.stylize(_STYLES[fate])
            text.append_text(part)
            at += len(data)
        text.append(closing)
    return text


def _coloured(path: str, code: str) -> Text:
    syntax = Syntax(code, Syntax.guess_lexer(path, code), theme="ansi_dark")
    coloured = syntax.highlight(code)
    return coloured if coloured.plain.startswith(code) else Text(code)


class BestView(VerticalScroll):
    """A text that scrolls; a new one comes with its first change in sight."""

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        yield Static(id="best-text")

    def show(self, text: Text) -> None:
        """Show another text."""
        self.query_one("#best-text", Static).update(text)
        change = next((span.start for span in text.spans if "strike" in str(span.style)), 0)
        line = text.plain.count("\n", 0, change)
        self.scroll_to(y=max(0, line - self.size.height // 3), animate=False)
