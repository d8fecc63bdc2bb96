"""`nubbin watch`."""

from __future__ import annotations

from pathlib import Path

import click

from nubbin.cli.display import is_screen
from nubbin.cli.parameters import SectionCommand
from nubbin.cli.recorded_commands import log_command, run_argument
from nubbin_core.late import late

_facts_of = late("nubbin.journal.reading:facts_of")
_find_run = late("nubbin.cli.which_run:find_run")
_lines = late("nubbin.watch.headline:plain_lines")
_view = late("nubbin.watch.app:WatchApp")


@click.command(cls=SectionCommand)
@run_argument
@click.pass_context
def watch_command(ctx: click.Context, run: Path | None) -> None:
    """Watch and steer a run.

    RUN is a folder, the name of one in .nubbin, or `last`. Without RUN, nubbin lists the runs here,
    and Enter opens one. The key ? explains all keys: they pause the run, skip a pass, or change its
    jobs and limits. q leaves the view, and the run continues. If standard output is no terminal,
    nubbin prints the current state of the run.
    """
    folder = None if run is None else _find_run(run)
    if folder is not None:
        _facts_of(folder)  # raises if there is no such run
    if is_screen():
        _view(folder).run()
    elif folder is not None:
        click.echo("\n".join(_lines(folder)))
    else:
        ctx.invoke(log_command)
