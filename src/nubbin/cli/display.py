"""The options that decide what a user or a program sees of a run."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from nubbin.cli.parameters import STANDARD_OUTPUT, Gathered
from nubbin.option import Group, flag, option
from nubbin_core.late import late

_json_lines = late("nubbin.report.json_lines:json_lines")


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """The options about the display, and whether the result is written to standard output.

    If another run `goes_on` with the result, nothing about it is written there. Raises a usage
    error for options that conflict.
    """

    verbose: bool = flag(Group.SHOWN, "Print a line per query.", short="-v")
    quiet: bool = flag(
        Group.SHOWN,
        "Print only errors, and the path of the result if standard output is no terminal.",
        short="-q",
    )
    watch: bool = flag(
        Group.SHOWN,
        "Show the run full-screen. The key q leaves the view; the run continues.",
        daily=True,
    )
    stats: Path | None = option(
        Group.SHOWN,
        "Write statistics of the run to FILE, as JSON; - is standard output.",
        unit="path",
        metavar="FILE",
    )
    json: bool = flag(
        Group.SHOWN,
        "Print events and errors as JSON lines. They go to standard output, without progress; -v "
        "adds every query. See docs/agents.md.",
        daily=True,
    )
    writes_result: bool = False
    goes_on: bool = False

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise click.UsageError("Give either --quiet or --verbose, not both.")
        if self.watch and (self.quiet or self.verbose or self.json or not is_screen()):
            raise click.UsageError("--watch needs a terminal, and no --quiet, --verbose or --json.")
        uses = {
            "--output -": self.writes_result,
            "--stats -": self.writes_stats,
            "--json": self.json,
        }
        given = [name for name, value in uses.items() if value]
        if len(given) > 1:
            raise click.UsageError(f"{' and '.join(given)}: only one can have standard output.")

    @property
    def writes_stats(self) -> bool:
        """Whether the statistics are written to standard output."""
        return self.stats == STANDARD_OUTPUT

    @property
    def writes_path(self) -> bool:
        """Whether the path of the result is written to standard output."""
        other = self.writes_result or self.writes_stats or self.json or self.goes_on
        return not (other or sys.stdout.isatty())


display_options = Gathered("display", Display)


def is_screen() -> bool:
    """Tell whether a view can use the whole screen and the keyboard."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return os.environ.get("TERM") not in {None, "dumb"} and all(each.isatty() for each in streams)


def print_json(name: str, *shown: Any) -> None:
    """Print a line of JSON for each data class or dictionary."""
    click.echo(_json_lines(name, shown), nl=False)


def write_result(data: bytes) -> None:
    """Write a result to standard output; escape control characters for a terminal."""
    if sys.stdout.isatty():
        click.echo(data.decode(errors="surrogateescape"))
    else:
        sys.stdout.buffer.write(data)
