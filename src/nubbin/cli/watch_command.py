"""`nubbin watch`."""

from __future__ import annotations

from pathlib import Path

import click

from nubbin.cli.display import is_screen
from nubbin.cli.find_run import find_run, run_argument
from nubbin.cli.usage import CliError


@click.command()
@run_argument
@click.pass_context
def watch_command(ctx: click.Context, run: Path | None) -> None:
    """Watch RUN on the whole screen, under way or ended.

    RUN is a folder, or the name of one in .nubbin; without it, the runs here are listed, and Enter
    opens one. Any number of views may be open; q leaves one, and the run goes on. Keys steer a run
    under way: pause it, skip the pass, change its jobs and limits, stop it with the best. If this
    is not a terminal, prints the run as it is now.
    """
    from nubbin.journal.reading import facts_of  # noqa: PLC0415
    from nubbin.oracles.errors import NubbinError  # noqa: PLC0415

    folder = None if run is None else find_run(run)
    try:
        if folder is not None:
            facts_of(folder)  # raises if there is no such run
        if is_screen():
            from nubbin.watch.app import WatchApp  # noqa: PLC0415 - takes half a second

            WatchApp(folder).run()
        elif folder is not None:
            from nubbin.watch.plain import plain_lines  # noqa: PLC0415

            click.echo("\n".join(plain_lines(folder)))
        else:
            from nubbin.cli.recorded_commands import runs_command  # noqa: PLC0415

            ctx.invoke(runs_command, folder=Path())
    except NubbinError as error:
        raise CliError(str(error)) from None
