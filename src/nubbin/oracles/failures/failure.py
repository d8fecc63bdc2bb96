"""A failure as a program tells it: what makes it another one than the next."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from typing import Self

from nubbin.oracles.commands.shell_words import sayable
from nubbin.oracles.failures.formats import recognised
from nubbin.oracles.failures.frames import frames_in
from nubbin.oracles.failures.masking import is_of
from nubbin.oracles.failures.messages import Message, last, summaries, telling
from nubbin.oracles.failures.regex import MATCH_LIMIT_S, Regex, TooSlow
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.output import plain
from nubbin_core.errors import OptionError

#: The expressions that are kept of an output.
_MAX_PATTERNS = 20
_MAX_FRAMES = 100
_MAX_LINE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Failure:
    """What an output says of a failure.

    `line` is the most telling line, a heading with what it is about. Each of `patterns` is a
    regular expression for a report or a telling line, matches the output itself, and again what is
    printed of it for a smaller input. `frames` are the functions in its stacks that the input does
    not name.
    """

    line: str
    patterns: tuple[str, ...]
    frames: tuple[str, ...] = ()

    @classmethod
    def of(cls, output: bytes, source: str) -> Self | None:
        """Return what the output for an input says of a failure; None if it says nothing.

        `source` is the text of the input, whose names a smaller one need not have.
        """
        transcript = Transcript.of([output])
        messages = recognised(transcript, source), telling(transcript, source)
        for said in messages:
            found = {sayable(each.loose): each.told for each in islice(said, _MAX_PATTERNS)}
            patterns = [each for each in found if Regex("", each).is_soon_in(output)]
            if patterns:
                own = (each for each in frames_in(transcript.text) if not is_of(source, each))
                return cls(found[patterns[0]], tuple(patterns), tuple(islice(own, _MAX_FRAMES)))
        return None

    def seen_in(self, output: bytes) -> Self | None:
        """Return what an output says of it again; None if that is nothing."""
        patterns = tuple(each for each in self.patterns if Regex("", each).is_soon_in(output))
        gone = self.frames_gone(output)
        frames = tuple(each for each in self.frames if each not in gone)
        return replace(self, patterns=patterns, frames=frames) if patterns else None

    def is_in(self, output: bytes) -> bool:
        """Tell whether an output says the same of a failure, or some of it."""
        return any(Regex("", pattern).is_soon_in(output) for pattern in self.patterns)

    def frames_gone(self, output: bytes) -> tuple[str, ...]:
        """Return the frames that are in no stack of an output."""
        left = set(frames_in(Transcript.of([output]).text))
        return tuple(each for each in self.frames if each not in left)


def line_asked(asked: str, output: bytes, source: str) -> str:
    """Return the line that tells most of those in which a part of an expression matches.

    It is "" if the expression does not match the output; `source` is the text of the input.
    """
    text = plain(output)
    try:
        ((start, stop),) = Regex("", asked).places([text], MATCH_LIMIT_S)[0][:1] or [(0, 0)]
        around = text[text.rfind(b"\n", 0, start) + 1 : stop] + text[stop:].partition(b"\n")[0]
        parts = [Regex("", part) for part in asked.split("(?s:.*)") if part]
        places = chain(*(part.places([around], MATCH_LIMIT_S)[0] for part in parts))
    except (TooSlow, OptionError):
        return ""
    matched = [os.fsdecode(_line_at(around, place)) for _, place in sorted(places) if stop > start]
    transcript = Transcript.of([output])
    said = chain(recognised(transcript, source), telling(transcript, source))
    tells = (
        each.told
        for each in islice(said, _MAX_PATTERNS)
        if any(each.line in line for line in matched)
    )
    return next(tells, matched[0].strip() if matched else "")


def _line_at(text: bytes, stop: int) -> bytes:
    """Return the line in which a match ends."""
    return text[text.rfind(b"\n", 0, max(stop - 1, 0)) + 1 :].partition(b"\n")[0]


def kind_of(output: bytes, source: str) -> str:
    """Return a name for the kind of a failure: the same if what tells most is the same.

    That is a report or a telling line, or else the last line.
    """
    first = next(_said(output, source), None)
    return blake2b(os.fsencode(first.loose) if first else b"", digest_size=6).hexdigest()


@lru_cache(maxsize=256)  # a view asks again and again
def line_of(output: bytes) -> str:
    """Return what tells most of a failure, as one line; "" if there is nothing."""
    first = next(_said(output, ""), None)
    return "" if first is None else first.told[:_MAX_LINE_CHARS]


def _said(output: bytes, source: str) -> Iterator[Message]:
    transcript = Transcript.of([output])
    yield from recognised(transcript, source)
    yield from telling(transcript, source)
    yield from last(transcript, source)
    yield from summaries(transcript, source)
