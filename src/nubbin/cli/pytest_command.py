"""`nubbin pytest`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from nubbin.cli.display import Display, place_in_run
from nubbin.cli.parameters import SectionCommand, display_options, option, options_of
from nubbin.cli.units import PATH
from nubbin.reduction.options import SuspectOptions

if TYPE_CHECKING:
    from nubbin.reduction.events import Observer
    from nubbin.reduction.reduction import Reduction


@click.command(cls=SectionCommand, no_args_is_help=True)
@click.argument("one", metavar="TEST")
@click.argument("arguments", metavar="[-- PYTEST ARGUMENTS...]", nargs=-1)
@option(
    "Test",
    "--order",
    type=click.File("r", encoding="utf-8", errors="surrogateescape"),
    metavar="FILE",
    help="The order in which TEST fails: ids of tests, or what pytest -v printed, also with "
    "pytest-xdist; - is standard input. Default: that in which pytest collects them here.",
)
@option(
    "Test",
    "--interpreter",
    metavar="PYTHON",
    help="The Python of the suite. Default: that of the active virtual environment, of .venv here "
    "or above, or else nubbin's own.",
)
@option(
    "Result",
    "--run-dir",
    type=PATH,
    metavar="DIR",
    help="Record the run in DIR. Default: a new folder in .nubbin here.",
)
@options_of(SuspectOptions)
@display_options
def pytest_command(
    *,
    one: str,
    arguments: tuple[str, ...],
    order: IO[str] | None,
    interpreter: str | None,
    run_dir: Path | None,
    stats: Path | None,
    quiet: bool,
    verbose: bool,
    json: bool,
    watch: bool,
    **options: Any,
) -> None:
    """Find the tests that make TEST fail, or pass, if they are run before it.

    TEST is the id of a test of the pytest suite here, as pytest prints it. If it fails after the
    tests that are run before it and passes alone, the fewest of them are found after which it still
    fails; if it fails alone, the fewest after which it passes. Their ids go to standard output, and
    the command that shows it is the last that is said.

    Arguments of pytest come after --: folders to collect, -k, -m, --randomly-seed. What counts is
    TEST and nothing else; only the files of the tests in question are collected.
    """
    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.suspects.tests import NAME, blame_tests  # noqa: PLC0415

    display = Display(
        stats=stats, quiet=quiet, verbose=verbose, json=json, watch=watch, writes_result=not json
    )
    given = None if order is None else order.read()

    def work(observers: Sequence[Observer]) -> Reduction:
        with place_in_run(run_dir, NAME) as (record, place):
            return blame_tests(
                one,
                arguments=arguments,
                order=given,
                interpreter=interpreter,
                record=record,
                output=place,
                observers=observers,
                **options,
            )

    sys.exit(run(work, NAME, display))
