"""What a person or a program sees of a run, and what goes to standard output."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nubbin.cli.parameters import Command, gathered, option
from nubbin.cli.units import PATH, STANDARD_OUTPUT
from nubbin.cli.usage import JSON

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """The options of `display_options`, and whether the result goes to standard output.

    If something `goes_on` with the result, nothing of it goes there.

    Raises a usage error for those that do not go together.
    """

    stats: Path | None
    quiet: bool
    verbose: bool
    json: bool
    watch: bool
    writes_result: bool = False
    goes_on: bool = False

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise click.UsageError("Give either --quiet or --verbose, not both.")
        if self.watch and (self.quiet or self.verbose or self.json or not is_screen()):
            raise click.UsageError("--watch needs a terminal, and no --quiet, --verbose or --json.")
        asked = {
            "--output -": self.writes_result,
            "--stats -": self.writes_stats,
            "--json": self.json,
        }
        given = [name for name, value in asked.items() if value]
        if len(given) > 1:
            raise click.UsageError(f"{' and '.join(given)}: only one can have standard output.")

    @property
    def writes_stats(self) -> bool:
        """Whether the figures go to standard output."""
        return self.stats == STANDARD_OUTPUT

    @property
    def writes_path(self) -> bool:
        """Whether the path of the result goes to standard output."""
        other = self.writes_result or self.writes_stats or self.json or self.goes_on
        return not (other or sys.stdout.isatty())


#: Declares what decides what a person sees; a command gets it as `display`.
display_options = gathered(
    "display",
    Display,
    option("Report", "-v", "--verbose", is_flag=True, help="Print a line per query."),
    option(
        "Report",
        "-q",
        "--quiet",
        is_flag=True,
        help="Print only errors, and the path of the result if standard output is no terminal.",
    ),
    option(
        "Report",
        "--watch",
        daily=True,
        is_flag=True,
        help="Show the run full-screen. The key q leaves the view; the run continues.",
    ),
    option(
        "Report",
        "--stats",
        type=PATH,
        metavar="FILE",
        help="Write statistics of the run to FILE, as JSON; - is standard output.",
    ),
    option(
        "Report",
        JSON,
        daily=True,
        is_flag=True,
        help="Print events and errors as JSON lines. They go to standard output, without progress; "
        "-v adds every query. See docs/agents.md.",
    ),
)


def is_screen() -> bool:
    """Tell whether a view can have the whole screen, and the keyboard."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return os.environ.get("TERM") not in {None, "dumb"} and all(each.isatty() for each in streams)


def write_result(data: bytes) -> None:
    """Write a result to standard output; to a terminal as text that it does not obey."""
    if sys.stdout.isatty():
        click.echo(data.decode(errors="surrogateescape"))
    else:
        sys.stdout.buffer.write(data)


def run_dir_option(place: str) -> Callable[[Command], Command]:
    """Declare --run-dir for a command that records its runs in a place by default."""
    return option(
        "Result",
        "--run-dir",
        type=PATH,
        metavar="DIR",
        help=f"Record the run in DIR. Default: a new folder in .nubbin {place}.",
    )


@contextmanager
def place_in_run(run: Path | None, name: str) -> Iterator[tuple[Path, Path]]:
    """Make a folder for the record of a run, and in it a place for a result that has no other.

    If nothing is written to them in the block, they are removed again. Raises OSError.
    """
    from nubbin.disk import Folder, followed  # noqa: PLC0415
    from nubbin.journal.journal import OUTPUT  # noqa: PLC0415
    from nubbin.journal.run_folders import kept_if_used, new_run  # noqa: PLC0415

    is_new = run is None or not run.exists()
    folder = new_run(Path.cwd(), name) if run is None else run
    place = folder / OUTPUT
    was_there = place.exists()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with kept_if_used(folder) if is_new else nullcontext():
        with Folder(followed(folder)) as ours:
            ours.folder(OUTPUT).close()
        try:
            yield folder, place / name
        finally:
            if not was_there:
                with suppress(OSError):  # it is not empty
                    place.rmdir()


@contextmanager
def late_warnings(console: Console) -> Iterator[None]:
    """Collect the warnings of all threads in the block, and print them at its end."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            for each in caught:
                console.print(
                    f"nubbin: {each.message}", markup=False, highlight=False, soft_wrap=True
                )
