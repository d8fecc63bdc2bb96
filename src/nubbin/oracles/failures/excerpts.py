"""Find the excerpt of the input that a tool prints with a message, with a mark below the place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter

from nubbin.oracles.failures.masking import escaped
from nubbin.oracles.failures.messages import Message
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.output import plain
from nubbin.pattern import pattern

# The line with the mark, below the excerpt. A few words may precede the mark: `[error]  |  ^`.
_MARK = pattern(r"^(?:\W*\w+){0,3}[^\w^]*(?P<mark>\^)[\^~\s]*$")
# The start of underlined text on a terminal; `38;5;4` is a colour.
_UNDERLINED = pattern(rb"\x1b\[(?:[0-3];)*4(?:;\d+)*m(?=[^\x1b\n])")
_TOKEN = pattern(r"\w+|[^\w\s]")
_WORD = pattern(r"\w+")
_TOKENS_BEFORE = 2
# May end an excerpt that the tool has cut off.
_CUT = " \t\r.…|│"
# The maximal distance between a message and its excerpt.
_MAX_LINES = 12


def with_marks(output: bytes) -> bytes:
    """Return an output with a mark below the first underlined text of each line."""
    lines = []
    for line in output.split(b"\n"):
        lines.append(line)
        if found := _UNDERLINED.search(line):
            lines.append(b" " * len(os.fsdecode(plain(line[: found.start()]))) + b"^")
    return b"\n".join(lines)


def with_excerpt(message: Message, said: Transcript, source: str) -> Message | None:
    """Return a message with the token at its place and two before it; None if none is shown.

    The tokens have to be in `source`, the text of the input: they tell invalid inputs apart.
    """
    lines = [text for text, _ in said.lines()]
    of_message = [number for number, text in enumerate(lines) if message.line in text]
    found = []
    for number, (text, below) in enumerate(pairwise(lines)):
        mark = _MARK.match(below)
        tokens = _shown(text, mark.start("mark"), source) if mark else ""
        distance = min((abs(number - each) for each in of_message), default=0)
        if tokens and distance <= _MAX_LINES:
            found.append((distance, number >= min(of_message, default=0), tokens))
    if not found:
        return None
    _, is_behind, tokens = min(found, key=itemgetter(0))
    parts = (message.pattern, tokens) if is_behind else (tokens, message.pattern)
    return replace(message, pattern="(?s:.*)".join(parts))


def _shown(text: str, column: int, source: str) -> str:
    """Return the expression for a few tokens of the input up to a column; "" if there are none.

    The rest of the line has to be in the input, too: stack traces show lines of the tool.
    """
    tokens = [each for each in _TOKEN.finditer(text) if each.start() <= column]
    for few in (tokens[-1 - count :] for count in range(_TOKENS_BEFORE, -1, -1)):
        if few and text[few[0].start() :].rstrip(_CUT) in source:
            return _in_order([each[0] for each in few])
    return ""


def _in_order(tokens: Sequence[str]) -> str:
    """Return the expression for tokens in order: words stay apart, and numbers may differ."""
    pattern, before = "", ""
    for token in tokens:
        if pattern:
            pattern += r"\s+" if _WORD.fullmatch(before + token) else r"\s*"
        pattern += r"[\d.]+" if token.isdigit() else escaped(token)
        before = token
    return pattern
