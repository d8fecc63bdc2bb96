"""Compare the outputs of several runs on an input: what differs is chance, not the failure."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import reduce
from typing import Final, Self

from nubbin.oracles.output import excerpt, plain
from nubbin.pattern import pattern

#: Replaces each character that differs between runs.
VARYING: Final = "\x1a"

_TOKEN = pattern(r"\w+|\W")
_WITH_DIGIT = pattern(r"\w*\d\w*")
# Limits on the length of a line, and on the number of different lines, that are compared.
_MAX_TOKENS = 500
_MAX_LINES = 1_000
# Two lines correspond if they have more than this share of their tokens in common.
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class Transcript:
    """The output of a run without colours; in `marked`, VARYING replaces what other runs change.

    Both texts have the same length, so that an offset is valid in both.
    """

    text: str
    marked: str

    @classmethod
    def of(cls, outputs: Sequence[bytes], size: int = 64 << 10) -> Self:
        """Compare outputs by at most `size` bytes of each, half of them from its end."""
        first, *others = (os.fsdecode(plain(excerpt(each, size))) for each in outputs)
        return cls(first, reduce(_both, (_marked(first, each) for each in others), first))

    def line_at(self, place: int) -> str:
        """Return the line around a place."""
        start = self.text.rfind("\n", 0, place) + 1
        return self.text[start:].partition("\n")[0].strip()

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield each line with the same line of `marked`."""
        start = 0
        for line in self.text.split("\n"):
            yield line, self.marked[start : start + len(line)]
            start += len(line) + 1


def _both(text: str, other: str) -> str:
    """Return a text with its own marks and the marks of another text of the same length."""
    if text == other:
        return text
    return "".join(
        VARYING if VARYING in pair else pair[0] for pair in zip(text, other, strict=True)
    )


def _marked(text: str, other: str) -> str:
    """Return a text with each difference from another one marked, line by line.

    Corresponding lines may be anywhere: threads print in any order.
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
    """Return the corresponding line of the other output; "" if there is none."""
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
        if kind == "insert":  # there is no token here, so mark the one before
            differ = slice(max(start - 1, 0), max(start, 1))
        elif kind != "equal":
            differ = slice(start, stop)
        else:
            continue
        marked[differ] = [VARYING * len(each) for each in tokens[differ]]
    return "".join(marked)


#: A line is one of a list if more lines than these have the same plain words.
_MAX_ALIKE = 4
_LIST_BYTES = 16 << 10


def standing_out(output: bytes) -> tuple[str, str]:
    """Return the lines of an output that are in no list, and all lines, of 16 KiB at most.

    Lines of a list differ only in words that are not of letters alone: paths, names and numbers.
    """
    lines = Transcript.of([output], _LIST_BYTES).text.splitlines()
    plain_words = [tuple(filter(str.isalpha, line.split())) for line in lines]
    often = Counter(plain_words)
    alone = (
        line for line, each in zip(lines, plain_words, strict=True) if often[each] <= _MAX_ALIKE
    )
    return "\n".join(alone), "\n".join(lines)
