"""`nubbin reduce`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin.cli.display import Display, display_options, place_in_run, run_dir_option
from nubbin.cli.parameters import SectionCommand, options_of
from nubbin.cli.units import PATH, STANDARD_OUTPUT
from nubbin.cli.usage import check_destinations
from nubbin.cli.which_test import GivenTest, condition_options, test_options
from nubbin.reduction.options import InputOptions, JobOptions, ResourceOptions, ResultOptions

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


_EXAMPLES = (
    ("nubbin reduce --run 'tool -x' FILE", "learn how tool -x fails on FILE"),
    ("nubbin reduce --run tool --prints bad FILE", "say what counts: it prints bad"),
    ("nubbin reduce ./test.sh FILE", "let a script decide"),
)


@click.command(cls=SectionCommand, epilog=_EPILOG, examples=_EXAMPLES, no_args_is_help=True)
@click.argument("paths", metavar="TEST INPUT...", type=PATH, nargs=-1)
@options_of(ResultOptions)
@run_dir_option("beside the result")
@test_options
@condition_options
@options_of(InputOptions)
@options_of(JobOptions)
@options_of(ResourceOptions)
@display_options
def reduce_command(
    *,
    paths: tuple[Path, ...],
    given: GivenTest,
    conditions: dict[str, Any],
    output: Path | None,
    in_place: bool,
    run_dir: Path | None,
    display: Display,
    **options: Any,
) -> None:
    """Boil INPUT down to the least that TEST still finds interesting.

    INPUT is a file, a folder or several of them. TEST is an executable that exits with 0 as long as
    its last argument, a smaller INPUT of the same name, misbehaves. With --run, --server or
    --python there is no TEST.

    TEST is run again and again, each time in a new folder that holds nothing but the candidate, the
    smaller INPUT. If that is a file, it is also TEST's standard input. The exit code answers: 0,
    still interesting; 125, cannot say; 101, another bug; anything else, a signal or a time-out, not
    interesting.

    A folder is reduced without .git, installed packages, caches and what .gitignore names. INPUT
    may be a stream: - for standard input, or <(...). Lines with the words "nubbin: keep" stay.

    The result goes to NAME.reduced.EXT beside INPUT, or to standard output with -o -. The best so
    far is on disk at any time: Ctrl-C stops and keeps it, and `nubbin resume` goes on after any
    end.
    """
    to_stdout = output == STANDARD_OUTPUT
    display = replace(display, writes_result=to_stdout)
    test, sources = given.of(paths, conditions)
    if (conditions["hangs"] or 0) >= (options["timeout"] or inf):
        raise click.UsageError("Give a longer --timeout: what --hangs must run on beyond that.")
    check_destinations(sources, output=output, in_place=in_place, stats=display.stats)

    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.documents.stream import descriptor_of  # noqa: PLC0415
    from nubbin.reduction.reduce import reduce  # noqa: PLC0415
    from nubbin.reduction.result.output_path import backup_path  # noqa: PLC0415
    from nubbin.reduction.start.inputs import STREAM_NAME  # noqa: PLC0415

    title = sources[0].resolve().name if len(sources) == 1 else f"{len(sources)} inputs"
    if descriptor_of(sources[0]) is not None:
        title = given.name or STREAM_NAME

    def work(observers: Sequence[Observer]) -> Reduction:
        with ExitStack() as stack:
            record, place = run_dir or True, output
            if to_stdout:
                record, place = stack.enter_context(place_in_run(run_dir, title))
            return reduce(
                test(),
                sources,
                name=given.name,
                output=place,
                in_place=in_place,
                record=record,
                observers=observers,
                **options,
            )

    original = backup_path(sources[0]) if in_place else None
    sys.exit(run(work, title, display, original=original))
