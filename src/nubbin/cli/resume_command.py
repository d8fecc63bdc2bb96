"""`nubbin resume`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nubbin.cli.display import Display, display_options
from nubbin.cli.parameters import SectionCommand, option, options_of
from nubbin.cli.recorded_commands import find_run, print_trusted, run_argument, unfinished_run
from nubbin.reduction.option import declared
from nubbin.reduction.options import ChoiceOptions, ResumeOptions


@click.command(cls=SectionCommand)
@run_argument
@option(
    "Result",
    "--from",
    "step",
    daily=True,
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Go on in a new run from this candidate, of those that `nubbin history` lists.",
)
@options_of(ResumeOptions)
@display_options
def resume_command(
    *,
    run: Path | None,
    step: int | None,
    display: Display,
    **options: Any,
) -> None:
    """Go on with RUN, however it ended.

    RUN is a folder, or the name of one in .nubbin; by default the last one here that is not done.
    No question is asked twice, except those that a shorter --timeout stopped, and the result is the
    same as if nothing had happened. If the test has changed, the run goes on from its best.

    With --from, or with another --signature, --format or --without, a new run goes on from a
    candidate of the last RUN here; it replaces the result, and the old run stays as it is.
    """
    from nubbin.cli.run import run as show  # noqa: PLC0415
    from nubbin.reduction.recorded.resume import resume  # noqa: PLC0415

    is_new = bool(step or any(options[name] for name in declared(ChoiceOptions)))
    folder = find_run(run) if run or is_new else unfinished_run()
    if options["trust"]:
        print_trusted(folder)
    sys.exit(
        show(
            lambda observers: resume(folder, step=step, observers=observers, **options),
            folder.name,
            display,
        )
    )
