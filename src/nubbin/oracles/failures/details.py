"""Find the details that a tool prints with a message: labels, diffs, and excerpts of the input."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from operator import itemgetter
from typing import Final

from nubbin.oracles.failures.masking import escaped, masked
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.output import plain
from nubbin.pattern import pattern

#: How many lines below a message are searched.
MAX_LINES: Final = 20
# The label of a place in the input, in the style of rustc, and a note about types.
_LABEL = pattern(r"^[\s|]*(?:-+[\s|]+)?\^[\^~-]*[ ](?P<text>\w.*)$")
_OF_TYPES = pattern(
    r"\bnote:\s+(?!.*(?:did you mean|suggest))(?P<text>.*\b(?:expected|with type|no known).*)$"
)
_ENDS_EVIDENCE = pattern(r"^\s*$|\b(?:error|warning)(?:\[\w+\])?:")
# A diff, which may have a marker of the tool: the header of a hunk, and a changed line.
_MARKER = r"^(?:\[\w+\] )?"
_HUNK = pattern(rf"{_MARKER}(?:@@ -\d.* @@|\d+(?:,\d+)?[acd]\d+(?:,\d+)?$)")
_CHANGED = pattern(rf"{_MARKER}(?P<line>(?P<side>[-+<>])(?!--$).*[^\w\s].*)$")


def evidence(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the details in the lines below a message; () if there are none.

    They are one label or note, or the first removed and the first added line of a diff.
    """
    for number, line in enumerate(lines[:MAX_LINES]):
        if _HUNK.match(line):
            sides: dict[str, str] = {}
            for each in map(_CHANGED.match, lines[number + 1 :]):
                if each is not None:
                    sides.setdefault(each["side"], each["line"])
            return tuple(sides.values())[:2]
        if _ENDS_EVIDENCE.search(line):
            break
        if (found := _LABEL.match(line) or _OF_TYPES.search(line)) is not None:
            return (found["text"].strip(),)
    return ()


def as_pattern(below: Sequence[str], source: str, keep: int) -> str:
    """Return the expression for evidence; see `masked` for `source` and `keep`.

    In a diff, only the differing punctuation marks count, with one before and one behind them. Its
    words depend on the input.
    """
    if below and below[0][0] in "-+<>":
        parts = [
            rf"{_MARKER}{re.escape(line[0])}.*" + r"[\w ]*".join(map(re.escape, marks))
            for line, marks in zip(below, _changed_marks(below), strict=True)
        ]
    else:
        parts = [masked(each, source, keep) for each in below]
    return "".join(f"(?s:.*){each}" for each in parts)


def _changed_marks(below: Sequence[str]) -> list[list[str]]:
    marks = [re.findall(r"[^\w\s]", line[1:]) for line in below]
    if len(marks) == 1 or marks[0] == marks[1]:
        return marks
    start = _common(marks)
    end = _common([each[:start:-1] for each in marks])
    return [each[max(start - 1, 0) : len(each) - max(end - 1, 0)] for each in marks]


def _common(marks: list[list[str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*marks, strict=False)))


# The line with the mark, below the excerpt. A few words may precede the mark: `[error]  |  ^`.
_MARK = pattern(r"^(?:\W*\w+){0,3}[^\w^]*(?P<mark>\^)[\^~\s]*$")
# The start of underlined text on a terminal; `38;5;4` is a colour.
_UNDERLINED = pattern(rb"\x1b\[(?:[0-3];)*4(?:;\d+)*m(?=[^\x1b\n])")
_TOKEN = pattern(r"\w+|[^\w\s]")
_WORD = pattern(r"\w+")
_TOKENS_BEFORE = 2
# May end an excerpt that the tool has cut off.
_CUT = " \t\r.…|│"
# The maximal distance between a message and its excerpt, in lines.
_MAX_DISTANCE = 12


def with_marks(output: bytes) -> bytes:
    """Return an output with a mark below the first underlined text of each line."""
    lines = []
    for line in output.split(b"\n"):
        lines.append(line)
        if found := _UNDERLINED.search(line):
            lines.append(b" " * len(os.fsdecode(plain(line[: found.start()]))) + b"^")
    return b"\n".join(lines)


def with_excerpt(line: str, pattern: str, said: Transcript, source: str) -> str | None:
    """Return the `pattern` of a message, and of the token at its place and two before it.

    None if no excerpt is near the `line` of the message. The tokens have to be in `source`, the
    text of the input: they tell invalid inputs apart.
    """
    lines = [text for text, _ in said.lines()]
    of_message = [number for number, text in enumerate(lines) if line in text]
    found = []
    for number, (text, below) in enumerate(pairwise(lines)):
        mark = _MARK.match(below)
        tokens = _shown(text, mark.start("mark"), source) if mark else ""
        distance = min((abs(number - each) for each in of_message), default=0)
        if tokens and distance <= _MAX_DISTANCE:
            found.append((distance, number >= min(of_message, default=0), tokens))
    if not found:
        return None
    _, is_behind, tokens = min(found, key=itemgetter(0))
    return "(?s:.*)".join((pattern, tokens) if is_behind else (tokens, pattern))


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
