"""`nubbin resume`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nubbin.cli.find_run import find_run, unfinished_run
from nubbin.cli.units import cluster, duration, size

_folder = click.Path(path_type=Path)


@click.command()
@click.argument("run", metavar="[RUN]", type=_folder, required=False)
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Tests to run at once.")
@click.option(
    "--cluster",
    type=cluster,
    metavar="ADDRESS",
    help="Run tests in a Dask cluster, as for reduce.",
)
@click.option(
    "-t",
    "--timeout",
    type=duration,
    metavar="TIME",
    help="Stop one run of the test after TIME; what was stopped sooner is asked again.",
)
@click.option("--max-queries", type=click.IntRange(min=1), metavar="N", help="Stop after N in all.")
@click.option("--max-time", type=duration, metavar="TIME", help="Stop after TIME more.")
@click.option("--target-size", type=size, metavar="SIZE", help="Stop at SIZE bytes or fewer.")
@click.option("--stats", type=_folder, metavar="FILE", help="Write figures to FILE, as JSON.")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only errors, and the path of the result unless to a terminal.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print a line per query.")
def resume_command(
    run: Path | None, stats: Path | None, quiet: bool, verbose: bool, **options: Any
) -> None:
    """Go on with RUN, after whatever ended it.

    RUN is a folder, or the name of one in .nubbin; by default the last one here that is not done.
    What was answered before is not asked again, and the result is the same as if nothing had
    happened. If the test has changed, the run goes on from its best.
    """
    from nubbin.cli.run import run as show  # noqa: PLC0415
    from nubbin.reduction.resume import resume  # noqa: PLC0415

    folder = find_run(run) if run else unfinished_run()
    told = (lambda text: None) if quiet else lambda text: click.echo(f"nubbin: {text}", err=True)
    sys.exit(
        show(
            lambda observers: resume(folder, observers=observers, on_changed=told, **options),
            folder.name,
            stats=stats,
            quiet=quiet,
            verbose=verbose,
        )
    )
