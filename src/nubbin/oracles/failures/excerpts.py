"""What a tool shows of the place in the input that a message is about, with a mark below it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from nubbin.oracles.failures.masking import escaped
from nubbin.oracles.failures.messages import Message
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.output import plain

# The line below the one that is shown; a few words may stand in it: `[error]  |  ^`.
_MARK = re.compile(r"^(?:\W*\w+){0,3}[^\w^]*(?P<mark>\^)[\^~\s]*$")
# The beginning of what a terminal shows underlined; `38;5;4` is a colour.
_UNDERLINED = re.compile(rb"\x1b\[(?:[0-3];)*4(?:;\d+)*m(?=[^\x1b\n])")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")
_TOKENS_BEFORE = 2
# May stand at the end of a line that is shown, and of which the rest is cut off.
_CUT = " \t\r.…|│"
# No more lines may stand between a message and what is shown.
_MAX_LINES = 12


def with_marks(output: bytes) -> bytes:
    """Return what a tool prints, with a mark below the first thing of a line that is underlined."""
    lines = []
    for line in output.split(b"\n"):
        lines.append(line)
        if found := _UNDERLINED.search(line):
            lines.append(b" " * len(os.fsdecode(plain(line[: found.start()]))) + b"^")
    return b"\n".join(lines)


def with_excerpt(message: Message, said: Transcript, source: str) -> Message | None:
    """Return a message with the token at its place and two before it; None if none is shown.

    They have to be in `source`, the text of the input, and tell one broken input from another.
    """
    lines = [text for text, _ in said.lines()]
    of_message = [number for number, text in enumerate(lines) if message.line in text]
    best = None
    for number, (text, below) in enumerate(pairwise(lines)):
        mark = _MARK.match(below)
        tokens = _shown(text, mark.start("mark"), source) if mark else ""
        distance = min((abs(number - each) for each in of_message), default=0)
        if tokens and distance <= _MAX_LINES and (best is None or distance < best[0]):
            is_behind = number >= min(of_message, default=0)
            best = distance, tokens, is_behind
    if best is None:
        return None
    _, tokens, is_behind = best
    parts = (message.pattern, tokens) if is_behind else (tokens, message.pattern)
    return replace(message, pattern="(?s:.*)".join(parts))


def _shown(text: str, column: int, source: str) -> str:
    """Return the expression for a few tokens up to a column of a line, if it is of the input.

    A stack shows lines of the tool in the same way: all that follows has to be in the input, too.
    """
    tokens = [each for each in _TOKEN.finditer(text) if each.start() <= column]
    for few in (tokens[-1 - count :] for count in range(_TOKENS_BEFORE, -1, -1)):
        if few and text[few[0].start() :].rstrip(_CUT) in source:
            return _in_order([each[0] for each in few])
    return ""


def _in_order(tokens: Sequence[str]) -> str:
    """Return the expression for tokens: two words must not become one, and numbers may differ."""
    pattern, before = "", ""
    for token in tokens:
        if pattern:
            pattern += r"\s+" if _WORD.fullmatch(before + token) else r"\s*"
        pattern += r"[\d.]+" if token.isdigit() else escaped(token)
        before = token
    return pattern
