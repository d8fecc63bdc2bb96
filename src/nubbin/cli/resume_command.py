"""`nubbin resume`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nubbin.cli.display import Display, display_options
from nubbin.cli.parameters import SectionCommand, option, options_of
from nubbin.cli.recorded_commands import run_argument
from nubbin.reduction.option import Group
from nubbin.reduction.options import declared
from nubbin_core.late import late

_find_run = late("nubbin.cli.which_run:find_run")
_print_trusted = late("nubbin.cli.which_run:print_trusted")
_resume = late("nubbin.reduction.recorded.resume:resume")
_run = late("nubbin.cli.run:run")
_unfinished_run = late("nubbin.cli.which_run:unfinished_run")


@click.command(cls=SectionCommand)
@run_argument
@option(
    "Result",
    "--from",
    "step",
    daily=True,
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Continue in a new run from this candidate; `nubbin log RUN` lists them.",
)
@options_of(Group.RESUME)
@display_options
def resume_command(
    *,
    run: Path | None,
    step: int | None,
    display: Display,
    **options: Any,
) -> None:
    """Continue a run, however it ended.

    RUN is a folder, the name of one in .nubbin, or `last`. Default: the last unfinished one here.
    nubbin repeats no query, except those that a shorter --timeout stopped, and gets the same result
    as without the interruption. If the test has changed, nubbin continues from the best candidate.

    With --from, or a different --prints, --format or --without, nubbin starts a new run from a
    candidate of RUN. The new run replaces the result; the old run is kept unchanged.
    """
    choices = declared(Group.PRINTS | Group.CHOICES)
    is_new = bool(step or any(options[each.name] for each in choices))
    folder = _find_run(run) if run or is_new else _unfinished_run()
    if options["trust"]:
        _print_trusted(folder)
    sys.exit(
        _run(
            lambda observers: _resume(folder, step=step, observers=observers, **options),
            folder.name,
            display,
        )
    )
