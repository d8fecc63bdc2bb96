"""Declare options: what they decide, their types and limits, and their help.

Imports next to nothing, so that `--help` is instant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import Flag, auto
from functools import cache
from math import inf
from typing import Any, Literal, get_type_hints

from nubbin.pattern import pattern
from nubbin_core.argument_types import checked

#: The heading in the help of what a candidate must do to fail.
CONDITIONS = "Conditions (a candidate must meet all that you give)"

_DURATION = pattern(r"(?:(\d+)h)?\s*(?:(\d+)m(?:in)?)?\s*(?:(\d+(?:\.\d+)?)s?)?", re.IGNORECASE)


class Group(Flag):
    """Options by what they decide; a command has those of some groups."""

    INPUT = auto()  #: which files of the input are read
    RESULT = auto()  #: where the result is written
    TEST = auto()  #: what the test answers
    CONDITION = auto()  #: what a candidate must do to fail
    CHOICES = auto()  #: what a user may choose differently when a run continues
    JOB = auto()  #: the rest of what decides the result
    SHOWN = auto()  #: what a user or a program sees of a run
    WORKERS = auto()  #: where the test runs, and for how long
    BUDGET = auto()  #: when to stop
    TRUST = auto()  #: whether to use a run that another user recorded
    PROJECT = auto()  #: how a project is reduced

    #: The options that the journal records.
    RECORDED = TEST | CHOICES | JOB
    #: Options that do not change the result: a resumed run may have other values.
    LIMITS = WORKERS | BUDGET

    REDUCE = INPUT | RESULT | RECORDED | LIMITS
    RESUME = CHOICES | LIMITS | TRUST
    CHECK = INPUT | TEST | WORKERS
    CAMPAIGN = INPUT | TEST | CHOICES | JOB | LIMITS
    REPRO = INPUT | TEST | LIMITS | PROJECT
    SUSPECTS = TEST | LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """All that is declared of an option.

    `type` is the type of its values, and `section` the heading in the help of the command line;
    None for an option that only the library has. The short help lists options for `daily` use, with
    the first sentence of their help. An option with a `unit` is a positive number of these, and
    `least` is the smallest number that is allowed; the help calls other values `metavar`. Besides
    the `choices`, values are allowed for which `others` is true. `read` converts what the library
    is given. `typed` is the name on the command line, if it is not that of the keyword, and
    `complete` completes a value there.
    """

    name: str
    type: Any
    group: Group
    section: str | None
    help: str
    default: Any = None
    daily: bool = False
    short: str | None = None
    metavar: str | None = None
    unit: (
        Literal["bytes", "seconds", "path", "address", "probability", "rejected queries"] | None
    ) = None
    least: int | None = None
    choices: tuple[str, ...] = ()
    others: Callable[[str], bool] = lambda value: False
    read: Callable[[Any], Any] = lambda given: given
    typed: str = ""
    complete: Callable[..., Any] | None = None

    def checked(self, given: Any) -> Any:
        """Return a value as one of the type; raises TypeError, and ValueError for a wrong one."""
        value = checked(self.name, self.read(given), self.type)
        if self.choices and value not in self.choices and not self.others(value):
            raise ValueError(f"no {self.name} {value!r}; there are {', '.join(self.choices)}")
        if self.least is not None and value is not None and value < self.least:
            raise ValueError(f"{self.name} is at least {self.least}, not {value}")
        if self.unit in {"bytes", "seconds"} and value is not None and not value > 0:
            raise ValueError(f"{self.name} is more than 0 {self.unit}, not {value}")
        if self.unit == "rejected queries" and not 0 < value < inf:
            raise ValueError(f"{self.name} is a finite number of {self.unit} over 0, not {value}")
        if self.unit == "probability" and not 0 < value < 1:
            raise ValueError(f"{self.name} is a probability between 0 and 1, not {value}")
        return value

    @property
    def line(self) -> str:
        """The line about this option in a docstring, where sizes and times are plain numbers."""
        first = first_sentence(self.help)
        if self.unit in {"bytes", "seconds"}:
            first = f"{_EXAMPLES_OF_UNIT.sub('', first)} In {self.unit}."
        return f"    {self.name}: {first}"

    @property
    def flag(self) -> str:
        """The name on the command line."""
        return self.typed or f"--{self.name.replace('_', '-')}"


#: The usual headings in the help; options of other groups are about the search.
_HEADINGS = {
    Group.RESULT: "Result",
    Group.CONDITION: CONDITIONS,
    Group.TEST: "Test",
    Group.WORKERS: "Test",
    Group.BUDGET: "Budget",
    Group.TRUST: "Run",
    Group.SHOWN: "Report",
}


def option(
    group: Group, help: str, *, default: Any = None, section: str | None = "", **rest: Any
) -> Any:
    """Declare a field of a dataclass as an option, by default under the heading of its group.

    Its name and its type are those of the field.
    """
    heading = _HEADINGS.get(group, "Search") if section == "" else section
    declared = {"group": group, "section": heading, "help": help, "default": default, **rest}
    return field(default=default, metadata=declared)


def flag(group: Group, help: str, **rest: Any) -> Any:
    """Declare an option that is False by default."""
    return option(group, help, default=False, **rest)


@cache
def options_in(declaring: type) -> dict[str, Option]:
    """Return the options that the fields of a dataclass declare, by name."""
    types = get_type_hints(declaring)
    return {
        each.name: Option(name=each.name, type=types[each.name], **each.metadata)
        for each in fields(declaring)
        if each.metadata
    }


_EXAMPLES_OF_UNIT = pattern(r" \([^()]*\d[^()]*\)")


def first_sentence(text: str) -> str:
    """Return the first sentence of a help text."""
    return re.split(r"(?<=\.)\s(?=[A-Z]|nubbin )", text)[0]


def seconds_in(text: str) -> float:
    """Return the seconds in `30`, `0.5s`, `10m` or `1h30m`; raises ValueError for other texts."""
    match = _DURATION.fullmatch(text.strip())
    hours, minutes, seconds = match.groups() if match else (None, None, None)
    total = 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds or 0)
    if total <= 0:
        raise ValueError(f"{text!r} is not a duration. Write 30, 10m or 1h30m.")
    return total
