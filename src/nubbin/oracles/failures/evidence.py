"""Find details below a message: a label, a note, or the first changes of a diff."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from nubbin.oracles.failures.masking import masked
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
