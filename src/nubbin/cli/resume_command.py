"""`nubbin resume`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nubbin.cli.find_run import find_run, unfinished_run
from nubbin.cli.options import SectionCommand, display_options, options_of
from nubbin.reduction.options import ResourceOptions


@click.command(cls=SectionCommand)
@click.argument("run", metavar="[RUN]", type=click.Path(path_type=Path), required=False)
@options_of(ResourceOptions)
@display_options
def resume_command(
    run: Path | None, stats: Path | None, quiet: bool, verbose: bool, **options: Any
) -> None:
    """Go on with RUN, however it ended.

    RUN is a folder, or the name of one in .nubbin; by default the last one here that is not done.
    No question is asked twice, except those that a shorter --timeout stopped, and the result is the
    same as if nothing had happened. If the test has changed, the run goes on from its best.
    """
    from nubbin.cli.run import run as show  # noqa: PLC0415
    from nubbin.reduction.resume import resume  # noqa: PLC0415

    folder = find_run(run) if run else unfinished_run()
    say = (lambda text: None) if quiet else lambda text: click.echo(f"nubbin: {text}", err=True)
    sys.exit(
        show(
            lambda observers: resume(folder, observers=observers, on_changed=say, **options),
            folder.name,
            stats=stats,
            quiet=quiet,
            verbose=verbose,
        )
    )
