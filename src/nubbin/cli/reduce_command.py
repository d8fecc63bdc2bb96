"""`nubbin reduce`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin.cli.condition_options import CONDITIONS, condition_options
from nubbin.cli.options import SectionCommand, display_options, option, options_of, test_options
from nubbin.cli.usage import check_destinations
from nubbin.cli.which_test import which_test
from nubbin.reduction.options import JobOptions, ResourceOptions, ResultOptions

if TYPE_CHECKING:
    from nubbin.reduction.events import Observer
    from nubbin.reduction.reduction import Reduction

_EPILOG = """\b
Exit codes:
  0    done: the result is written (--stats tells what ended the run)
  1    the test or the input is wrong, or standard output cannot be written:
       a paragraph says why
  2    the command line is wrong
  130  interrupted (Ctrl-C): the best result so far is written
"""


@click.command(cls=SectionCommand, epilog=_EPILOG, no_args_is_help=True)
@click.argument(
    "paths", metavar="TEST INPUT...", type=click.Path(path_type=Path), nargs=-1, required=True
)
@options_of(ResultOptions)
@option(
    "Result",
    "--run-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Record the run in DIR. Default: a new folder in .nubbin beside the result.",
)
@test_options
@condition_options
@options_of(JobOptions)
@options_of(ResourceOptions)
@display_options
def reduce_command(
    *,
    paths: tuple[Path, ...],
    line: str | None,
    server: str | None,
    python: str | None,
    output: Path | None,
    in_place: bool,
    run_dir: Path | None,
    stats: Path | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Boil INPUT down to the least that TEST still finds interesting.

    INPUT is a file, a folder (taken without .git and links to folders), or several of them. TEST is
    an executable. It is run again and again, each time in a fresh folder that holds a smaller
    candidate under INPUT's own name; the candidate is also TEST's last argument and, if it is a
    file, its standard input. It answers with its exit code: 0, still interesting; 125, cannot say;
    101, another bug; anything else, a signal or a time-out, not interesting. With --run, --server
    or --python there is no TEST, only INPUT.

    The result goes to NAME.reduced.EXT beside INPUT. The best so far is there at any time:
    Ctrl-C stops and keeps it, and `nubbin resume` goes on after any end. Lines with the words
    "nubbin: keep" stay.
    """
    if quiet and verbose:
        raise click.UsageError("Give either --quiet or --verbose, not both.")
    conditions = {name: options.pop(name) for name in CONDITIONS}
    test, sources = which_test(
        paths, line=line, server=server, python=python, conditions=conditions
    )
    if (conditions["hangs"] or 0) >= (options["timeout"] or inf):
        raise click.UsageError("Give a longer --timeout: what --hangs must run on beyond that.")
    check_destinations(sources, output=output, in_place=in_place, stats=stats)

    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.reduction.output_path import original_path  # noqa: PLC0415
    from nubbin.reduction.reduce import reduce  # noqa: PLC0415

    title = sources[0].resolve().name if len(sources) == 1 else f"{len(sources)} inputs"

    def work(observers: Sequence[Observer]) -> Reduction:
        return reduce(
            test(),
            sources,
            output=output,
            in_place=in_place,
            record=run_dir or True,
            observers=observers,
            **options,
        )

    sys.exit(
        run(
            work,
            title,
            stats=stats,
            quiet=quiet,
            verbose=verbose,
            original=original_path(sources[0]) if in_place else None,
        )
    )
