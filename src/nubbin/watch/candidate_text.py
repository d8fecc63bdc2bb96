"""Show the best candidate, with the text that was just removed; binary files as hexadecimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.syntax import Syntax
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from nubbin.text.figures import count, counted
from nubbin.text.readable import as_text, hex_rows, is_text
from nubbin.text.visible import printable
from nubbin.watch.fold import Piece, PieceState, pieces

_STYLES = {PieceState.KEPT: "", PieceState.REMOVED: "red strike", PieceState.NEW: "green underline"}
_MARKS = {PieceState.KEPT: " ", PieceState.REMOVED: "-", PieceState.NEW: "+"}
_BRACKETS = {PieceState.REMOVED: ("[-", "-]"), PieceState.NEW: ("{+", "+}")}  # as wdiff has them
_MAX_NAMES = 4


def candidate_text(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> Text:
    """Return the best candidate, with the text that was removed since the candidate before.

    `before` is empty for the first candidate. Of several files, shows one that has just changed.
    Removed and new text is in brackets, so that colours are not needed. Control characters are
    escaped.
    """
    before = before or now
    changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
    path = next((path for path in (*changed, *now) if path in now), None)
    text = _about_files(now, changed, path) if len(before) > 1 else Text()
    if path is None:
        return text.append("The result is empty.", "dim")
    old, new = before.get(path, b""), now[path]
    shown = pieces(old, new)
    if is_text(old) and is_text(new):
        return text.append_text(_highlighted(path, shown))
    return text.append_text(_hex(shown))


def _about_files(now: Mapping[str, bytes], changed: Sequence[str], path: str | None) -> Text:
    text = Text(counted(len(now), "file"), "dim")
    if changed:
        names = ", ".join(map(printable, changed[:_MAX_NAMES]))
        more = len(changed) - _MAX_NAMES
        text.append(f"; just changed: {names}{f' and {count(more)} more' if more > 0 else ''}")
    return text.append(f"\n{printable(path)}\n" if path else "\n", "bold")


def _hex(pieces: Sequence[Piece]) -> Text:
    """Return bytes as rows: an offset, hexadecimal numbers and characters."""
    text, at = Text(), 0
    for state, data, is_shown in pieces:
        if not is_shown:
            text.append(f"{_MARKS[state]}... {counted(len(data), 'byte')}\n", "dim")
        for offset, row in hex_rows(data, at) if is_shown else ():
            text.append(f"{_MARKS[state]}{offset} ", "dim").append(f"{row}\n", _STYLES[state])
        if state is not PieceState.REMOVED:
            at += len(data)
    return text


def _highlighted(path: str, pieces: Sequence[Piece]) -> Text:
    """Return a text in the colours of its language, which follows from its name."""
    there = (piece for piece in pieces if piece.is_shown and piece.state is not PieceState.REMOVED)
    whole, at = _coloured(path, "".join(as_text(piece.data) for piece in there)), 0
    text = Text()
    for state, data, is_shown in pieces:
        if not is_shown:
            lines = counted(data.count(b"\n"), "line")
            text.append(f"\n... {lines}, {counted(len(data), 'byte')} ...\n", "dim")
            continue
        part = Text(as_text(data))
        if state is not PieceState.REMOVED:
            part = whole[at : at + len(part)]
            at += len(part)
        part.stylize(_STYLES[state])
        opening, closing = _BRACKETS.get(state, ("", ""))
        text.append(opening).append_text(part).append(closing)
    return text


def _coloured(path: str, code: str) -> Text:
    syntax = Syntax(code, Syntax.guess_lexer(path, code), theme="ansi_dark")
    coloured = syntax.highlight(code)
    return coloured if coloured.plain.startswith(code) else Text(code)


class BestView(VerticalScroll):
    """A text that scrolls. A new text is shown from its first change."""

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        yield Static(id="best-text")

    def show(self, text: Text) -> None:
        """Show another text."""
        self.query_one("#best-text", Static).update(text)
        change = next((span.start for span in text.spans if "strike" in str(span.style)), 0)
        line = text.plain.count("\n", 0, change)
        self.scroll_to(y=max(0, line - self.size.height // 3), animate=False)
