"""Commands in the folder of a project: `nubbin repro`, `nubbin pytest` and `nubbin blame`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import click

from nubbin.cli.display import Display, display_options, place_in_run, run_dir_option
from nubbin.cli.parameters import SectionCommand, command_line, option, options_of
from nubbin.cli.units import PATH
from nubbin.cli.usage import CliError
from nubbin.cli.which_test import condition_options, with_prints
from nubbin.reduction.options import ReproOptions, SuspectOptions

if TYPE_CHECKING:
    from nubbin.reduction.events import Observer
    from nubbin.reduction.reduction import Reduction
    from nubbin.suspects.commits import Stage


_REPRO_EXAMPLES = (
    ("nubbin repro -- python -m pytest tests/test_a.py::test_b", "one test of a project"),
    ("nubbin repro -- 'make && ./tool demo.txt'", "one word is for the shell"),
)
_PYTEST_EXAMPLES = (
    ("nubbin pytest tests/test_a.py::test_b", "in the order of the suite"),
    ("nubbin pytest tests/test_a.py::test_b --order log", "in the order that pytest -v printed"),
)
_BLAME_EXAMPLES = (
    ("nubbin blame v1.0..main -- python test.py", "a command and its arguments"),
    ("nubbin blame v1.0..main -- 'make -s && ./test'", "one word is for the shell"),
)


@click.command(cls=SectionCommand, examples=_REPRO_EXAMPLES, no_args_is_help=True)
@click.argument("command", metavar="-- CMD...", nargs=-1)
@option(
    "Result",
    "--check",
    type=PATH,
    metavar="FOLDER",
    daily=True,
    help="Instead, run the reproduction in FOLDER in a new environment with its pinned packages.",
)
@option(
    "Result",
    "-o",
    "--output",
    type=PATH,
    metavar="DIR",
    daily=True,
    help="Write the reproduction to DIR, a new folder. Default: NAME-repro beside the project.",
)
@run_dir_option("here")
@options_of(ReproOptions)
@condition_options
@display_options
def repro_command(
    *,
    command: tuple[str, ...],
    check: Path | None,
    output: Path | None,
    run_dir: Path | None,
    conditions: dict[str, Any],
    display: Display,
    **options: Any,
) -> None:
    """Shrink the current project to a reproduction.

    CMD is a command and its arguments, or one word for the shell, that fails in the current folder.
    nubbin runs it in copies without .git, installed packages, caches and ignored files; your files
    are never changed. Without conditions, nubbin learns how CMD fails.

    nubbin traces one run, and first tries to remove all files that this run does not use.
    """
    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.oracles.failures.conditions import Conditions  # noqa: PLC0415
    from nubbin.reduction.reproduce import reproduce  # noqa: PLC0415

    if check is not None:
        if command:
            raise click.UsageError("--check runs a reproduction that is there: leave out CMD.")
        _check(check)
        return
    if not command:
        raise click.UsageError("Missing CMD: the command that fails here, after --.")
    line = command_line(command)
    wanted = Conditions(**with_prints(conditions, options))

    def work(observers: Sequence[Observer]) -> Reduction:
        return reproduce(
            line,
            conditions=wanted,
            output=output,
            record=run_dir or True,
            observers=observers,
            **options,
        )

    sys.exit(run(work, Path.cwd().name, display))


def _check(folder: Path) -> None:
    from nubbin.reduction.result.fresh_run import run_fresh  # noqa: PLC0415
    from nubbin_core.errors import NubbinError  # noqa: PLC0415

    try:
        run_fresh(folder, lambda text: click.echo(f"nubbin: {text}", err=True))
    except NubbinError as error:
        raise CliError(str(error)) from None
    click.echo(f"nubbin: {folder} fails in a fresh environment as it says.", err=True)


@click.command(cls=SectionCommand, examples=_PYTEST_EXAMPLES, no_args_is_help=True)
@click.argument("one", metavar="TEST")
@click.argument("arguments", metavar="[-- PYTEST ARGUMENTS...]", nargs=-1)
@option(
    "Test",
    "--order",
    type=click.File("r", encoding="utf-8", errors="surrogateescape"),
    metavar="FILE",
    help="An order of tests that makes TEST fail: test ids, or the output of pytest -v, including "
    "pytest-xdist; - is standard input. Default: the order of pytest's collection.",
)
@option(
    "Test",
    "--interpreter",
    metavar="PYTHON",
    help="The Python of the suite. Default: the active virtual environment, .venv here or above, "
    "the Python of the pytest on the PATH, or nubbin's own.",
)
@run_dir_option("here")
@options_of(SuspectOptions)
@display_options
def pytest_command(
    *,
    one: str,
    arguments: tuple[str, ...],
    order: IO[str] | None,
    interpreter: str | None,
    run_dir: Path | None,
    display: Display,
    **options: Any,
) -> None:
    """Find the tests that make another test fail.

    TEST is a test id of the pytest suite here. If TEST fails only after other tests, nubbin finds
    the smallest set of these that makes it fail. If TEST fails alone, nubbin finds the smallest set
    that makes it pass. It prints their ids to standard output, and last the command that shows it.

    Arguments of pytest come after --: folders to collect, -k, -m, --randomly-seed. Only the outcome
    of TEST counts, and nubbin collects only the files of the tests in question.
    """
    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.suspects.tests import NAME, blame_tests  # noqa: PLC0415

    display = replace(display, writes_result=not display.json)
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


@click.command(cls=SectionCommand, examples=_BLAME_EXAMPLES, no_args_is_help=True)
@click.argument("span", metavar="GOOD..BAD")
@click.argument("command", metavar="-- CMD...", nargs=-1, required=True)
@options_of(SuspectOptions)
@condition_options
@display_options
def blame_command(
    *,
    span: str,
    command: tuple[str, ...],
    conditions: dict[str, Any],
    display: Display,
    **options: Any,
) -> None:
    """Find the commit, and the lines, that make a command fail.

    CMD fails in the commit BAD, but not in GOOD. nubbin bisects the commits between them, then
    reduces the changes of the guilty commit: files, hunks, lines. It prints the smallest patch that
    makes CMD fail in the commit before.

    CMD is a command and its arguments, or one word for the shell. It runs in a temporary checkout;
    your repository and your checkout are never changed. Without conditions, nubbin learns how CMD
    fails. A commit where CMD fails in a different way, for example in the build, is skipped.
    """
    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.oracles.failures.conditions import Conditions  # noqa: PLC0415
    from nubbin.suspects.commits import Blame  # noqa: PLC0415
    from nubbin_core.errors import NubbinError  # noqa: PLC0415

    line = command_line(command)
    wanted = Conditions(**with_prints(conditions, options))
    results: list[Reduction] = []

    def work(step: Stage, observers: Sequence[Observer]) -> Reduction:
        with place_in_run(None, step.name) as (record, place):
            results.append(step.run(record, place, observers))
        return results[-1]

    try:
        steps = Blame(span, line, wanted, cast("SuspectOptions", options)).steps()
    except NubbinError as error:
        raise CliError(str(error)) from None
    code, step = 0, next(steps)
    with suppress(StopIteration):
        while not code:
            shown = replace(
                display, writes_result=step.is_last and not display.json, goes_on=not step.is_last
            )
            code = run(partial(work, step), step.name, shown)
            if not code:  # else there may be no result: it was broken off before the first query
                step = steps.send(results[-1])
    sys.exit(code)
