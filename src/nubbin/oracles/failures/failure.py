"""Describe a failure by the output of a program, and recognise it in other outputs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from signal import Signals
from typing import Final, Self

from nubbin.oracles.commands.command_line import sayable
from nubbin.oracles.failures.conditions import Ended
from nubbin.oracles.failures.formats import recognised
from nubbin.oracles.failures.masking import is_of
from nubbin.oracles.failures.messages import Message, from_the_end, summaries, telling
from nubbin.oracles.failures.regex import MATCH_LIMIT_S, Regex, TooSlow
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.output import plain
from nubbin.pattern import pattern
from nubbin_core.errors import OptionError

#: The most expressions that are kept of an output.
_MAX_PATTERNS = 20
_MAX_FRAMES = 100
_MAX_LINE_CHARS = 200

_FRAME: Final = pattern(
    r"""
    ^[ ]+File[ ]"[^"\n]*",[ ]line[ ]\d+,[ ]in[ ](?P<python>\w+)$
    | ^\s+at[ ](?:async[ ]|new[ ])?(?:[\w.-]+(?:@[\w.]+)?/+)?(?P<at>[\w.$<>`]+)[ ]?\(
    | ^[ ]*\#\d+[ ](?:0x[0-9a-f]+[ ](?:in[ ])?)?(?P<native>[A-Za-z_~][\w:~]*)
    | ^==\d+==[ ]+(?:at|by)[ ]0x[0-9A-F]+:[ ](?P<valgrind>[\w:~]+)
    | :\d+:in[ ][`'](?:block[ ].*in[ ])?(?P<ruby>[\w#.:?!=]+)'
    | ^(?P<go>[\w./*()-]+?)\(.*\)\n\t\S+:\d
    | ^[ ]+\d+:[ ](?:0x\w+[ ]-[ ])?(?P<rust>[A-Za-z_<][\w:<>]*)$
    """,
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure, described by the parts of an output that identify it.

    `line` is the most telling line, with its subject if it is a heading. Each of `patterns` is a
    regular expression for a report or a telling line. It matches the output, and is made to match
    the output for a smaller input. `frames` are the functions in the stacks that the input does not
    name.
    """

    line: str
    patterns: tuple[str, ...]
    frames: tuple[str, ...] = ()

    @classmethod
    def of(cls, output: bytes, source: str) -> Self | None:
        """Return the failure in an output; None without. `source` is the text of the input."""
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
        """Return the parts of the failure that are in an output; None if no pattern matches."""
        patterns = tuple(each for each in self.patterns if Regex("", each).is_soon_in(output))
        gone = self.frames_gone(output)
        frames = tuple(each for each in self.frames if each not in gone)
        return replace(self, patterns=patterns, frames=frames) if patterns else None

    def is_in(self, output: bytes) -> bool:
        """Tell whether an output matches any of the patterns."""
        return any(Regex("", each).is_soon_in(output) for each in self.patterns)

    def frames_gone(self, output: bytes) -> tuple[str, ...]:
        """Return the frames that are in no stack of an output."""
        left = set(frames_in(Transcript.of([output]).text))
        return tuple(each for each in self.frames if each not in left)


def frames_in(output: str) -> Iterator[str]:
    """Yield the functions in the stack traces of an output, in order, each once."""
    yield from dict.fromkeys(frame[frame.lastgroup or 0] for frame in _FRAME.finditer(output))


def line_asked(asked: str, output: bytes, source: str) -> str:
    """Return the most telling of the lines that a part of an expression matches.

    It is "" if the expression does not match the output. `source` is the text of the input.
    """
    text = plain(output)
    try:
        ((start, stop),) = Regex("", asked).places([text], MATCH_LIMIT_S)[0][:1] or [(0, 0)]
        around = text[text.rfind(b"\n", 0, start) + 1 : stop] + text[stop:].partition(b"\n")[0]
        parts = [Regex("", part) for part in asked.split("(?s:.*)") if part]
        places = chain(*(part.places([around], MATCH_LIMIT_S)[0] for part in parts))
    except (TooSlow, OptionError):
        return ""
    matched = [
        # The line in which each match ends.
        os.fsdecode(around[around.rfind(b"\n", 0, max(end - 1, 0)) + 1 :].partition(b"\n")[0])
        for _, end in sorted(places)
        if stop > start
    ]
    transcript = Transcript.of([output])
    said = chain(recognised(transcript, source), telling(transcript, source))
    tells = (
        each.told
        for each in islice(said, _MAX_PATTERNS)
        if any(each.line in line for line in matched)
    )
    return next(tells, matched[0].strip() if matched else "")


@dataclass(frozen=True, slots=True)
class FailureKind:
    """What all outputs of one failure have in common: a masked message, and a function.

    `message` matches the message for any input, `pattern` also the rest of a report, and `frame` is
    the innermost function of the program. `line` is the message as it was printed for one input. A
    run that a signal ended without a report is known by the signal alone: what else it prints is
    not the reason.
    """

    line: str
    pattern: str
    message: str
    frame: str = ""

    @classmethod
    def of(cls, ended: Ended, source: str) -> Self:
        """Return the kind of the failure of a run; `source` is the text of the input.

        It is made from the first report, telling line, last line or summary in the output.
        """
        said = _said(ended.printed, source)
        first = next(said, None)
        if ended.signal and not (first and first.is_report):
            return cls(*[Signals(ended.signal).name] * 3)
        if first is None:
            return cls("", "", "")
        message = next(said) if first.frame else first  # the same report without its frame
        return cls(first.told, sayable(first.loose), sayable(message.loose), first.frame)

    @property
    def key(self) -> str:
        """An identifier of twelve digits."""
        return blake2b(os.fsencode(self.pattern), digest_size=6).hexdigest()

    def includes(self, other: Self) -> bool:
        """Tell whether another kind differs only in text that came from the input."""
        return self.frame == other.frame and Regex("", self.message).is_soon_in(
            os.fsencode(other.line)
        )


@lru_cache(maxsize=256)  # views ask repeatedly
def line_of(output: bytes) -> str:
    """Return the most telling line of an output; "" if there is none."""
    first = next(_said(output, ""), None)
    return "" if first is None else first.told[:_MAX_LINE_CHARS]


def _said(output: bytes, source: str) -> Iterator[Message]:
    transcript = Transcript.of([output])
    yield from recognised(transcript, source)
    yield from telling(transcript, source)
    yield from from_the_end(transcript, source)
    yield from summaries(transcript, source)
