"""What stands below a message and tells more of it: a label, a note, the first change of a diff."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from nubbin.oracles.failures.masking import masked

#: The evidence for a message stands so many lines below it at most.
MAX_LINES: Final = 20
# The label of a place in the input, as rustc writes it, and what a note says of types.
_LABEL: Final = re.compile(r"^[\s|]*(?:-+[\s|]+)?\^[\^~-]*[ ](?P<text>\w.*)$")
_NOTE: Final = re.compile(
    r"\bnote:\s+(?!.*(?:did you mean|suggest))(?P<text>.*\b(?:expected|with type|no known).*)$"
)
_NEXT: Final = re.compile(r"^\s*$|\b(?:error|warning)(?:\[\w+\])?:")
# A diff, maybe behind a marker of the tool: the header of a hunk, and a changed line.
_MARKER: Final = r"^(?:\[\w+\] )?"
_HUNK: Final = re.compile(rf"{_MARKER}(?:@@ -\d.* @@|\d+(?:,\d+)?[acd]\d+(?:,\d+)?$)")
_CHANGED: Final = re.compile(rf"{_MARKER}(?P<line>(?P<side>[-+<>])(?!--$).*[^\w\s].*)$")


def evidence(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the evidence in the lines below a message; () if there is none.

    That is one label or note, or the first line that a diff takes away and the first that it adds.
    """
    for number, line in enumerate(lines[:MAX_LINES]):
        if _HUNK.match(line):
            sides: dict[str, str] = {}
            for each in map(_CHANGED.match, lines[number + 1 :]):
                if each is not None:
                    sides.setdefault(each["side"], each["line"])
            return tuple(sides.values())[:2]
        if _NEXT.search(line):
            break
        if (found := _LABEL.match(line) or _NOTE.search(line)) is not None:
            return (found["text"].strip(),)
    return ()


def as_pattern(below: Sequence[str], source: str, keep: int) -> str:
    """Return the expression for evidence; `source` and `keep` are those of `masked`.

    Of a diff only the marks count that differ, with one before and one behind them: words and all
    else of a line are those of the input.
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
    """Return how many marks two lines have in common at their beginnings."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*marks, strict=False)))
