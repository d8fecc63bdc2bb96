"""Declare the parameters of commands: options as click has them, and how their text is read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_origin

import click

from nubbin.cli.usage import JSON
from nubbin.executors.cluster_address import processes_here
from nubbin.option import Group, Option, options_in, seconds_in
from nubbin.pattern import pattern
from nubbin.reduction.options import Options
from nubbin.user_paths import check_lookup
from nubbin_core.errors import NubbinError
from nubbin_core.late import late

_close_matches = late("difflib:get_close_matches")

#: As a path on the command line, this means standard output.
STANDARD_OUTPUT = Path("-")

_SIZE = pattern(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_SIZE_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

#: The error for an unknown name lists all names, unless there are more than these.
_MAX_LISTED_NAMES = 10


class SectionOption(click.Option):
    """An option with its heading in the help, and whether the short help has it.

    `names` are separated by blanks. An option without a `metavar` for its value is a flag.
    """

    def __init__(
        self, section: str, names: str, help: str, *, daily: bool = False, **rest: Any
    ) -> None:
        is_flag = rest.get("metavar") is None
        super().__init__(names.split(), help=help, is_flag=is_flag, **rest)
        self.section = section
        self.daily = daily

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return nothing, because the help texts have defaults and ranges in words."""
        return {}


@dataclass(frozen=True, slots=True)
class Gathered:
    """The options in the fields of a dataclass, of which a command gets one as `name`.

    With `groups`, only those of these groups; other fields have their defaults. The options of one
    dataclass can be declared in several parts, so that the help has them in another order.
    """

    name: str
    declaring: type
    groups: Group = ~Group(0)

    @property
    def declared(self) -> list[Option]:
        """The options that the command line has."""
        found = options_in(self.declaring).values()
        return [each for each in found if each.group in self.groups and each.section is not None]

    @property
    def params(self) -> list[SectionOption]:
        """The options as the command line has them."""
        return [as_declared(each) for each in self.declared]


def options_of(groups: Group) -> Gathered:
    """Declare the options of a reduction that are in some groups."""
    return Gathered("options", Options, groups)


def as_declared(each: Option) -> SectionOption:
    """Return an option as the command line has it."""
    return SectionOption(
        each.section or "",
        " ".join(filter(None, (each.short, each.flag, each.name))),
        each.help,
        daily=each.daily,
        default=each.default,
        shell_complete=each.complete,
        **_value(each),
    )


def _value(each: Option) -> dict[str, Any]:
    """Return how click reads the value of an option, and the name of the value in the help."""
    kind: Any = None
    metavar = each.metavar
    if each.choices:
        few = len(each.choices) <= _MAX_LISTED_NAMES
        kind = click.Choice(each.choices) if few else _Name(each)
    elif each.least is not None:
        kind, metavar = click.IntRange(min=each.least), "N"
    elif each.unit is not None:
        kind, usual = _UNITS[each.unit]
        metavar = metavar or usual
    return {"type": kind, "metavar": metavar, "multiple": get_origin(each.type) is tuple}


def size(text: str) -> int:
    """Return bytes, at least one; units are powers of 1,024: `800M`, `2G`, `1.5GiB`."""
    match = _SIZE.fullmatch(text.strip())
    number = round(float(match[1]) * _SIZE_UNITS[match[2].lower()]) if match else 0
    if number < 1:
        raise click.BadParameter(f"{text!r} is not a size. Write 800M or 2G.")
    return number


def as_seconds(text: str) -> float:
    """Return seconds, from seconds, minutes and hours: `30`, `0.5s`, `10m`, `1h30m`."""
    with _errors_of_usage():
        return seconds_in(text)


def cluster(text: str) -> str:
    """Return the address of a cluster: `tcp://host:8786` or `local:8`."""
    with _errors_of_usage():
        processes_here(text)
    return text


@contextmanager
def _errors_of_usage() -> Iterator[None]:
    try:
        yield
    except (ValueError, NubbinError) as error:
        raise click.BadParameter(str(error)) from None


class _Path(click.Path):
    """A path that the system can look up, whether or not it exists."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; the usage error says why the system cannot look it up."""
        with _errors_of_usage():
            check_lookup(value)
        return super().convert(value, param, ctx)


PATH = _Path(path_type=Path)


class _Name(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of many names. The usage error for an unknown name suggests similar ones."""

    def __init__(self, option: Option):
        super().__init__(option.choices)
        self.others = option.others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        if value in self.choices or self.others(value):
            return value
        near = " or ".join(_close_matches(value, self.choices))
        hint = f"Did you mean {near}?" if near else "--help-all lists them."
        noun = param.name if param else "name"
        return self.fail(f"there is no {noun} {value!r}. {hint}", param, ctx)


#: How text is converted, and the name of a value in the help, by the unit of an option.
_UNITS: dict[str, tuple[Any, str]] = {
    "bytes": (size, "SIZE"),
    "seconds": (as_seconds, "TIME"),
    "address": (cluster, "ADDRESS"),
    "path": (PATH, "PATH"),
    "probability": (click.FloatRange(0, 1, min_open=True, max_open=True), "P"),
    "rejected queries": (click.FloatRange(0, math.inf, min_open=True, max_open=True), "RATIO"),
}


def output_option(metavar: str, text: str) -> SectionOption:
    """Declare --output, with a name for its value, and its help."""
    return SectionOption("Result", "-o --output", text, type=PATH, metavar=metavar, daily=True)


#: The option --json of a command without a display.
json_option = SectionOption("Report", JSON, "Print results and errors as JSON.", daily=True)


def run_dir_option(place: str) -> SectionOption:
    """Declare --run-dir for a command that, by default, records its runs at a place."""
    return SectionOption(
        "Result",
        "--run-dir",
        f"Record the run in DIR. Default: a new folder in .nubbin {place}.",
        type=PATH,
        metavar="DIR",
    )
