"""What several runs on an input print: what differs between them is chance, not the failure."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import reduce
from typing import Final, Self

from nubbin.oracles.output import excerpt, plain

#: Takes the place of each character that differs between runs.
VARYING: Final = "\x1a"

_TOKEN = re.compile(r"\w+|\W")
_WITH_DIGIT = re.compile(r"\w*\d\w*")
# Beyond these, what is left of a line or of an output that differs is not compared.
_MAX_TOKENS = 500
_MAX_LINES = 1_000
# Two lines are the same one if they have this share of their tokens in common.
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a run prints, without colours; in `marked`, what other runs print otherwise is VARYING.

    Both texts have the same length, so that a place is the same in both.
    """

    text: str
    marked: str

    @classmethod
    def of(cls, outputs: Sequence[bytes], size: int = 64 << 10) -> Self:
        """Compare the first `size` bytes at most of each output, half of them from its end."""
        first, *others = (os.fsdecode(plain(excerpt(each, size))) for each in outputs)
        return cls(first, reduce(_both, (_marked(first, each) for each in others), first))

    def line_at(self, place: int) -> str:
        """Return the line around a place."""
        start = self.text.rfind("\n", 0, place) + 1
        return self.text[start:].partition("\n")[0].strip()

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield each line, and the same as it is marked."""
        start = 0
        for line in self.text.split("\n"):
            yield line, self.marked[start : start + len(line)]
            start += len(line) + 1


def _both(text: str, other: str) -> str:
    """Return a text with all marked that is marked in it, or in another of the same length."""
    if text == other:
        return text
    return "".join(
        VARYING if VARYING in pair else pair[0] for pair in zip(text, other, strict=True)
    )


def _marked(text: str, other: str) -> str:
    """Return a text with all marked that another one has otherwise, line by line.

    The order of the lines is not compared: threads may print in any.
    """
    if text == other:
        return text
    lines, theirs = text.split("\n"), Counter(other.split("\n"))
    theirs.subtract(Counter(lines) & theirs)
    left = [line for line, count in theirs.items() if count > 0][:_MAX_LINES]
    alike: dict[str, list[str]] = defaultdict(list)
    for line in left:
        alike[_WITH_DIGIT.sub("0", line)].append(line)
    known = set(other.split("\n"))
    marked = {
        line: _without_difference(line, _partner(line, alike, left))
        for line in dict.fromkeys(lines)
        if line not in known
    }
    return "\n".join(marked.get(line, line) for line in lines)


def _partner(line: str, alike: dict[str, list[str]], left: list[str]) -> str:
    """Return the line of the other output that is this one; "" if none is."""
    if same := alike.get(_WITH_DIGIT.sub("0", line)):
        return same.pop(0) if len(same) > 1 else same[0]
    tokens = _TOKEN.findall(line)[:_MAX_TOKENS]
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(tokens)
    best, most = "", _ALIKE
    for other in left:
        matcher.set_seq1(_TOKEN.findall(other)[:_MAX_TOKENS])
        if matcher.real_quick_ratio() > most and matcher.ratio() > most:
            best, most = other, matcher.ratio()
    return best


def _without_difference(line: str, other: str) -> str:
    tokens, theirs = _TOKEN.findall(line), _TOKEN.findall(other)
    if not other or max(len(tokens), len(theirs)) > _MAX_TOKENS:
        return VARYING * len(line)
    marked = list(tokens)
    matcher = SequenceMatcher(None, tokens, theirs, autojunk=False)
    for kind, start, stop, _, _ in matcher.get_opcodes():
        if kind == "insert":  # marks the token before: there is none to mark where it stands
            differ = slice(max(start - 1, 0), max(start, 1))
        elif kind != "equal":
            differ = slice(start, stop)
        else:
            continue
        marked[differ] = [VARYING * len(each) for each in tokens[differ]]
    return "".join(marked)
