"""Show the best candidate, with the text that was just removed; binary files as hexadecimal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from rich.syntax import Syntax
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from nubbin.text.differences import differences
from nubbin.text.figures import as_text, counted, hex_rows, is_text, listed, printable

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
        text.append(f"; just changed: {listed([*map(printable, changed)], _MAX_NAMES)}")
    return text.append(f"\n{printable(path)}\n" if path else "\n", "bold")


def _hex(pieces: Sequence[Piece]) -> Text:
    text, at = Text(), 0
    for state, data, is_shown in pieces:
        mark, style, *_ = state.value
        if not is_shown:
            text.append(f"{mark}... {counted(len(data), 'byte')}\n", "dim")
        for offset, row in hex_rows(data, at) if is_shown else ():
            text.append(f"{mark}{offset} ", "dim").append(f"{row}\n", style)
        if state is not PieceState.REMOVED:
            at += len(data)
    return text


def _highlighted(path: str, pieces: Sequence[Piece]) -> Text:
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
        _, style, opening, closing = state.value
        part.stylize(style)
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


_MAX_BEFORE_BYTES = 4_000  # shown before the first change
_MAX_AFTER_BYTES = 12_000  # shown after it
_MAX_REMOVED_BYTES = 600  # of each removed part; the middle of a longer one is folded
_NEAR_BYTES = 300  # the most that a cut moves, to the end of a line


class PieceState(Enum):
    """Whether a piece was kept, removed or added: its mark, its style and its brackets."""

    KEPT = " ", "", "", ""
    REMOVED = "-", "red strike", "[-", "-]"  # as wdiff has them
    NEW = "+", "green underline", "{+", "+}"


class Piece(NamedTuple):
    """A piece of a file or of its last version: shown, or folded into a few words."""

    state: PieceState
    data: bytes
    is_shown: bool = True


def pieces(before: bytes, now: bytes) -> list[Piece]:
    """Return the pieces of two versions of a file in order.

    Without the removed ones, they are `now`. Shows at most 20 KB, around the first change. Cuts are
    at the ends of lines, if one is near. Takes as long as `differences`.
    """
    return [piece for piece in _folded(list(_parts(before, now))) if piece.data]


def _parts(before: bytes, now: bytes) -> Iterator[tuple[PieceState, bytes]]:
    at = 0
    for start, stop, text in differences(before, now):
        yield PieceState.KEPT, before[at:start]
        yield PieceState.REMOVED, before[start:stop]
        yield PieceState.NEW, text
        at = stop
    yield PieceState.KEPT, before[at:]


def _folded(parts: Sequence[tuple[PieceState, bytes]]) -> Iterator[Piece]:
    room, rest = _MAX_AFTER_BYTES, list[bytes]()
    for number, (state, data) in enumerate(parts):
        if number == 0 and len(parts) > 1:
            cut = _near(data, len(data) - _MAX_BEFORE_BYTES)
            yield Piece(state, data[:cut], False)
            yield Piece(state, data[cut:])
        elif state is not PieceState.REMOVED:
            cut = _near(data, room)
            yield Piece(state, data[:cut])
            rest.append(data[cut:])
            room = room - cut if cut == len(data) else 0
        elif room:
            half = min(_MAX_REMOVED_BYTES, room) // 2
            begin = _near(data, half) if len(data) > 2 * half else len(data)
            end = max(begin, _near(data, len(data) - half))
            yield Piece(state, data[:begin])
            yield Piece(state, data[begin:end], False)
            yield Piece(state, data[end:])
            room = max(0, room - begin - (len(data) - end))
    yield Piece(PieceState.KEPT, b"".join(rest), False)


def _near(data: bytes, at: int) -> int:
    """Return an offset, or the end of a line shortly before it."""
    if not 0 < at < len(data):
        return max(0, min(at, len(data)))
    return data.rfind(b"\n", max(0, at - _NEAR_BYTES), at) + 1 or at
