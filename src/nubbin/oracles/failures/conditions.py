"""Conditions that describe the failure of a command: how it ends and what it prints."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Final, Self

from nubbin.option import Group, option
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.failures.regex import MATCH_LIMIT_S, Regex
from nubbin.oracles.output import excerpt, plain
from nubbin_core.errors import OptionError
from nubbin_core.late import late
from nubbin_core.verdict import Answer

_is_crash = late("nubbin.oracles.failures.formats:is_crash")
_other_error = late("nubbin.oracles.failures.messages:other_error")

#: A shell whose command was ended by signal N exits with this number plus N.
_SIGNAL_BASE = 128
_MAX_STATUS = 255
#: The options with regular expressions, and the streams that each searches.
_STREAMS = {"prints": ("stdout", "stderr"), "stdout": ("stdout",), "stderr": ("stderr",)}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it printed.

    `status` is the exit status, or minus the number of the signal that ended it.
    """

    status: int
    stdout: bytes = b""
    stderr: bytes = b""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return how the command of an answer ended."""
        end = len(answer.output) - len(answer.errors)
        return cls(answer.exit_code or 0, answer.output[:end], answer.errors)

    @property
    def printed(self) -> bytes:
        """Standard output, and then standard error, which begins a line."""
        both = self.stdout and self.stderr and not self.stdout.endswith(b"\n")
        return self.stdout + (b"\n" if both else b"") + self.stderr

    @property
    def signal(self) -> int:
        """The signal that ended the command, or the last command of its shell; 0 if none."""
        number = -self.status if self.status < 0 else self.status - _SIGNAL_BASE
        return number if number in _SIGNALS.values() else 0

    @property
    def is_crash(self) -> bool:
        """Whether a signal ended the command, or its output contains a known crash report."""
        return self.signal > 0 or _is_crash(os.fsdecode(plain(excerpt(self.printed))))


_condition = partial(option, Group.CONDITION)
_regex = partial(_condition, metavar="REGEX")


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """The conditions that make a candidate interesting. Those that are None are not checked.

    The help of each field says what it requires. A regular expression must match some part of its
    output, or no part if its name begins with `no_`. `hangs` is in seconds, and `differs` compares
    exit status and standard output.

    Raises OptionError for invalid values.
    """

    prints: str | None = _regex(
        "The output matches REGEX. This also holds a TEST to one bug: candidates that "
        "fail in other ways are kept with the run.",
        daily=True,
    )
    stdout: str | None = _regex("Standard output matches REGEX.")
    stderr: str | None = _regex("Standard error matches REGEX.")
    no_prints: str | None = _regex("The output does not match REGEX.", daily=True)
    no_stdout: str | None = _regex("Standard output does not match REGEX.")
    no_stderr: str | None = _regex("Standard error does not match REGEX.")
    exits: str | None = _condition(
        "Exit status or signal: 1, nonzero, signal, SIGSEGV.", daily=True, metavar="HOW"
    )
    known_errors: str | None = _regex(
        "REGEX matches every error line (a.c:7:1: error: ...) of the output; `.` allows all. "
        "nubbin learns this condition with the failure, and drops it if it rejects 30 candidates "
        "before the first is accepted."
    )
    hangs: float | None = _condition(
        "Still running after TIME (5, 0.5, 2m). This is time on the clock, so choose more than CMD "
        "can need on a busy machine.",
        daily=True,
        unit="seconds",
    )
    differs: str | None = _condition(
        "The output or exit status differs from CMD's.", daily=True, metavar="CMD"
    )
    valid: tuple[str, ...] = _condition(
        "CMD exits with 0; may be repeated.", default=(), daily=True, metavar="CMD"
    )

    def __post_init__(self) -> None:
        if self.exits is not None and not _is_end(self.exits):
            raise OptionError(
                f"--exits {self.exits!r} is not a way to end: give an exit status from 0 to 255, "
                "nonzero, signal, or the name of a signal, as SIGSEGV."
            )
        if self.exits is not None and self.hangs is not None:
            raise OptionError("Give either --exits or --hangs: what hangs does not exit.")
        self.expressions  # noqa: B018 - raises for those that are not valid
        if self.known_errors is not None:
            Regex("--known-errors", self.known_errors)

    def __bool__(self) -> bool:
        """Whether the conditions describe a failure, and not only valid input."""
        return not self.to_json().keys() <= {"known_errors", "valid"}

    @property
    def lines(self) -> tuple[str, ...]:
        """The command lines of the conditions."""
        return (*filter(None, (self.differs,)), *self.valid)

    def with_lines(self, change: Callable[[str], str]) -> Conditions:
        """Return the conditions with `change` applied to each of their command lines."""
        differs = None if self.differs is None else change(self.differs)
        return replace(self, differs=differs, valid=tuple(map(change, self.valid)))

    def as_options(self) -> str:
        """Return the conditions as options of the command line, quoted for a shell."""
        words: list[str] = []
        for name, value in self.to_json().items():
            for each in value if isinstance(value, tuple) else (value,):
                words += _flag(name), quoted_word(str(each))
        return " ".join(words)

    @property
    def told(self) -> str:
        """The conditions for people: as options, with `known_errors` in words."""
        told = replace(self, known_errors=None).as_options()
        return told if self.known_errors is None else f"{told}, and no other kind of error"

    def to_json(self) -> dict[str, Any]:
        """Return the conditions that are given, as JSON values."""
        names = "exits", *(each.name for each in fields(Conditions))  # how it ends comes first
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in (None, ())}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Conditions:
        """Return the conditions from the values that `to_json` returned."""
        return cls(**{**values, "valid": tuple(values.get("valid", ()))})

    def refusal(self, ended: Ended, limit: float | None = MATCH_LIMIT_S) -> str:
        """Return which condition a command fails, as the end of a sentence; "" if it fails none.

        Checks how the command ended and the expressions, except `known_errors`. Raises TooSlow if
        an expression takes more than `limit` seconds.
        """
        if self.exits is not None and not _ends_so(self.exits, ended):
            return f"does not end as --exits {self.exits} says"
        for regex, streams, wanted in self.expressions:
            printed = (getattr(ended, stream) for stream in streams)
            if wanted != regex.is_in(*printed, limit=limit):
                verb = "prints nothing" if wanted else "prints something"
                return f"{verb} that matches {regex.option} {regex.text!r}"
        return ""

    @cached_property
    def expressions(self) -> list[tuple[Regex, tuple[str, ...], bool]]:
        """The given expressions, the streams that each searches, and whether it must match."""
        return [
            (Regex(_flag(option), text), streams, wanted)
            for name, streams in _STREAMS.items()
            for option, wanted in ((name, True), (f"no_{name}", False))
            if (text := getattr(self, option)) is not None
        ]

    def other_error(self, ended: Ended, limit: float | None = MATCH_LIMIT_S) -> str:
        """Return the first error line that is not known, as the end of a sentence; "" if none.

        Raises TooSlow if the expression takes more than `limit` seconds.
        """
        if self.known_errors is None:
            return ""
        other = Regex("--known-errors", _other_error(self.known_errors))
        streams = [plain(ended.stdout), plain(ended.stderr)]
        for text, places in zip(streams, other.places(streams, limit), strict=True):
            for start, stop in places:
                return f"prints another error: {os.fsdecode(text[start:stop]).strip()}"
        return ""

    @property
    def are_of_failure(self) -> bool:
        """Whether the conditions ask for a failure, so that other crashes are different ones."""
        return self.exits != "0" and self.hangs is None and self.differs is None


UNCONDITIONAL: Final = Conditions()


_SIGNALS = {each.name: int(each) for each in signal.Signals}


def _is_end(text: str) -> bool:
    is_status = text.isascii() and text.isdigit() and int(text) <= _MAX_STATUS
    return is_status or text in {"nonzero", "signal"} or signal_number(text) > 0


def signal_number(name: str) -> int:
    """Return the number of a signal, with or without `SIG` in its name; 0 if there is none."""
    return _SIGNALS.get(name.upper(), 0) or _SIGNALS.get(f"SIG{name.upper()}", 0)


def _ends_so(exits: str, ended: Ended) -> bool:
    if exits == "nonzero":
        return ended.status != 0
    if exits == "signal":
        return ended.signal > 0
    return ended.status == int(exits) if exits.isdigit() else ended.signal == signal_number(exits)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@dataclass(frozen=True, kw_only=True)
class Command(Conditions):
    """A command line that the shell runs for each candidate, and its conditions.

    The path of the candidate replaces `{}` in `run`, or the name of the input, or is appended. All
    given conditions must hold. If only `valid` is given, or nothing, `nubbin.reduce` derives the
    conditions as `nubbin.learn` does. Raises OptionError for invalid values.
    """

    run: str
