"""The lines of an output that give the reason of a failure, if it is in no format that is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nubbin.oracles.failures.masking import masked, says_something

# What is in such a line; the first tells more than the second.
_TELLING = (
    re.compile(r"error|assert|fatal|panic|abort|exception|fail|violation|overflow", re.IGNORECASE),
    re.compile(r":\d+\b|\bline \d+|\bwarning\b", re.IGNORECASE),
)
# Stands around the text of a line.
_DECORATION = " \t\r^~-=*|>"


@dataclass(frozen=True, slots=True)
class Message:
    """A line of an output, and the regular expression for what it says, or for a report around it.

    The expression matches if that is said again of a smaller input.
    """

    line: str
    pattern: str


def telling(output: str, source: str) -> Iterator[Message]:
    """Yield the lines that give a reason, and are not in the input, the most telling first.

    `source` is the text of the input, whose names a smaller one need not have.
    """
    lines = _lines(output)
    for tells in _TELLING:
        yield from _messages(filter(tells.search, lines), source)


def last(output: str, source: str) -> Iterator[Message]:
    """Yield the lines that are not in the input, the last first."""
    yield from _messages(reversed(_lines(output)), source)


def _messages(lines: Iterator[str], source: str) -> Iterator[Message]:
    for line in dict.fromkeys(lines):
        if line not in source and says_something(pattern := masked(line, source)):
            yield Message(line, pattern)


def _lines(output: str) -> list[str]:
    """Return the lines of an output, without decoration."""
    return [line.strip(_DECORATION) for line in output.split("\n")]
