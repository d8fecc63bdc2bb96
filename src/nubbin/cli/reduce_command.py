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

from nubbin.cli.display import Display, display_options, run_dir_option
from nubbin.cli.parameters import SectionCommand, options_of
from nubbin.cli.units import PATH, STANDARD_OUTPUT
from nubbin.cli.usage import check_destinations
from nubbin.cli.which_test import FORMS, GivenTest, condition_options, test_options
from nubbin.documents.stream import STREAM_NAME, descriptor_of
from nubbin.reduction.option import Group
from nubbin_core.late import late

if TYPE_CHECKING:
    from nubbin.reduction.events import Observer
    from nubbin.reduction.reduction import Reduction

_backup_path = late("nubbin.reduction.result.output_path:backup_path")
_place_in_run = late("nubbin.cli.work.run:place_in_run")
_reduce = late("nubbin.reduction.reduce:reduce")
_run = late("nubbin.cli.work.run:run")
_EPILOG = """\b
Exit codes:
  0    the result is written (--stats names the reason for the end)
  1    an error in the test or the input, or standard output cannot be written
  2    an error in the command line
  130  interrupted (Ctrl-C): the best result so far is written
"""


_EXAMPLES = (
    ("nubbin reduce --run 'gcc -O2 -c' a.c", "learn how gcc fails"),
    ("nubbin reduce a.c -- gcc -O2 -c", "the same"),
    ("nubbin reduce --run tool --prints bad FILE", "look for this message"),
    ("nubbin reduce ./test.sh FILE", "let a script decide"),
)


@click.command(
    cls=SectionCommand,
    forms=FORMS,
    epilog=_EPILOG,
    examples=_EXAMPLES,
    no_args_is_help=True,
)
@click.argument("paths", metavar="TEST INPUT...", type=PATH, nargs=-1)
@options_of(Group.RESULT)
@run_dir_option("beside the result")
@test_options
@options_of(Group.REDUCE & ~Group.RESULT)
@condition_options
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
    """Shrink INPUT to the smallest version that still fails.

    INPUT is one or more files or folders. TEST is an executable that exits with 0 if its last
    argument, a smaller version of INPUT, still fails. The options --run, --server and --python
    replace TEST.

    nubbin runs TEST in a new folder that contains only the candidate, a smaller version of INPUT
    under the same name. A single file is also TEST's standard input. Its exit code means: 0, still
    fails; 125, cannot tell; 101, a different failure. Any other code, a signal or a timeout rejects
    the candidate.

    nubbin ignores .git, installed packages, caches and files named in .gitignore. INPUT can be a
    stream: - for standard input, or <(...). Lines with the words "nubbin: keep" are kept.

    nubbin writes the result to NAME.reduced.EXT beside INPUT, or to standard output with -o -. The
    best candidate is always on disk: Ctrl-C keeps it, and `nubbin resume` continues the run.
    """
    to_stdout = output == STANDARD_OUTPUT
    display = replace(display, writes_result=to_stdout)
    test, sources = given.of(paths, conditions, options)
    if (conditions["hangs"] or 0) >= (options["timeout"] or inf):
        raise click.UsageError("--timeout must be longer than --hangs. Use a longer --timeout.")
    check_destinations(sources, output=output, in_place=in_place, stats=display.stats)

    title = sources[0].resolve().name if len(sources) == 1 else f"{len(sources)} inputs"
    if descriptor_of(sources[0]) is not None:
        title = given.name or STREAM_NAME

    def work(observers: Sequence[Observer]) -> Reduction:
        with ExitStack() as stack:
            record, place = run_dir or True, output
            if to_stdout:
                record, place = stack.enter_context(_place_in_run(run_dir, title))
            result: Reduction = _reduce(
                test(),
                sources,
                name=given.name,
                output=place,
                in_place=in_place,
                record=record,
                observers=observers,
                **options,
            )
        return result

    original = _backup_path(sources[0]) if in_place else None
    sys.exit(_run(work, title, display, original=original))
