"""`nubbin reduce`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin.cli.options import SectionCommand, display_options, option, options_of
from nubbin.cli.usage import check_destinations, check_inputs
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
@option(
    "Test",
    "--server",
    metavar="CMD",
    help="Instead of TEST: start CMD once and ask it by the line. See docs/tests.md.",
)
@option(
    "Test",
    "--python",
    metavar="FILE:FUNCTION",
    help="Instead of TEST: call a Python function; FILE is imported once, each call is a fork.",
)
@options_of(JobOptions)
@options_of(ResourceOptions)
@display_options
def reduce_command(
    *,
    paths: tuple[Path, ...],
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
    101, another bug; anything else, a signal or a time-out, not interesting. With --server or
    --python there is no TEST, only INPUT.

    The result goes to NAME.reduced.EXT beside INPUT. The best so far is there at any time:
    Ctrl-C stops and keeps it, and `nubbin resume` goes on after any end. Lines with the words
    "nubbin: keep" stay.
    """
    if quiet and verbose:
        raise click.UsageError("Give either --quiet or --verbose, not both.")
    if server and python:
        raise click.UsageError("Give either --server or --python, not both.")
    test, sources = (None, paths) if server or python else (paths[0], paths[1:])
    if not sources:
        raise click.UsageError("Missing INPUT: the test comes first, what to reduce second.")
    check_inputs(test, sources)
    check_destinations(sources, output=output, in_place=in_place, stats=stats)

    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.oracles.user_test import UserTest  # noqa: PLC0415
    from nubbin.reduction.output_path import original_path  # noqa: PLC0415
    from nubbin.reduction.reduce import reduce  # noqa: PLC0415

    title = sources[0].resolve().name if len(sources) == 1 else f"{len(sources)} inputs"

    def user_test() -> UserTest:
        if server:
            return UserTest.server(server)
        return UserTest.python(python) if python else UserTest.command(paths[0])

    def work(observers: Sequence[Observer]) -> Reduction:
        return reduce(
            user_test(),
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
