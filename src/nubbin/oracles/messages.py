"""The lines of an output that give the reason of a failure, if it is in no format that is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

# What is in such a line; the first tells more than the second.
_TELLING = (
    re.compile(r"error|assert|fatal|panic|abort|exception|fail|violation|overflow", re.IGNORECASE),
    re.compile(r":\d+\b|\bline \d+|\bwarning\b", re.IGNORECASE),
)
# Stands around the text of a line.
_DECORATION = " \t\r^~-=*|>"


def lines_of(output: str) -> list[str]:
    """Return the lines of an output, without decoration."""
    return [line.strip(_DECORATION) for line in output.split("\n")]


def telling(lines: list[str]) -> Iterator[str]:
    """Yield the lines that give a reason, the most telling first."""
    for tells in _TELLING:
        yield from filter(tells.search, lines)
