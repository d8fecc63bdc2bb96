"""The work of `nubbin repro`, `pytest` and `blame`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import click

from nubbin.cli.display import Display
from nubbin.cli.section_command import command_line
from nubbin.cli.work.run import place_in_run, show_run
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.options import Options
from nubbin.reduction.reproduce import reproduce
from nubbin.reduction.result.reproduction import run_fresh
from nubbin.reduction.run_job import Reduction
from nubbin.suspects.commits import Blame, Stage
from nubbin.suspects.tests import NAME, blame_tests


def repro(
    *,
    command: tuple[str, ...],
    check: Path | None,
    output: Path | None,
    run_dir: Path | None,
    conditions: Conditions,
    display: Display,
    options: Options,
) -> int:
    """Reduce the project in the current folder, or check a reproduction; return the exit code."""
    if check is not None:
        if command:
            raise click.UsageError("--check runs a reproduction that is there: leave out CMD.")
        run_fresh(check, lambda text: click.echo(f"nubbin: {text}", err=True))
        click.echo(f"nubbin: {check} fails in a fresh environment as it says.", err=True)
        return 0
    if not command:
        raise click.UsageError("Missing CMD: the command that fails here, after --.")
    line, record = command_line(command), run_dir or True
    work = partial(reproduce, line, conditions=conditions, output=output, record=record)
    return show_run(partial(work, options=options), Path.cwd().name, display)


def pytest(
    *,
    one: str,
    arguments: tuple[str, ...],
    order: IO[str] | None,
    interpreter: str | None,
    prints: str | None,
    run_dir: Path | None,
    display: Display,
    options: Options,
) -> int:
    """Reduce the tests before another one, and return the exit code."""
    display = replace(display, writes_result=not display.json)
    given = None if order is None else order.read()
    work = partial(blame_tests, one, arguments=arguments, order=given, interpreter=interpreter)
    work = partial(work, prints=prints, options=options)
    return show_run(work, NAME, display, placed=place_in_run(run_dir, NAME))


def blame(
    *,
    span: str,
    command: tuple[str, ...],
    conditions: Conditions,
    display: Display,
    options: Options,
) -> int:
    """Reduce a list of commits, then the patch of the guilty one, and return the exit code."""
    code = 0

    def reduce_stage(stage: Stage) -> Reduction | None:
        """Return the result; None after a failure: it may have broken off before there was any."""
        nonlocal code
        results: list[Reduction] = []

        def work(**where: Any) -> Reduction:
            results.append(stage.run(**where))
            return results[0]

        shown = replace(
            display, writes_result=stage.is_last and not display.json, goes_on=not stage.is_last
        )
        code = show_run(work, stage.name, shown, placed=place_in_run(None, stage.name))
        return None if code else results[0]

    Blame(span, command_line(command), conditions, options).find(reduce_stage)
    return code
