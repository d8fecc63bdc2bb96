"""`nubbin init`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nubbin.cli.parameters import SectionCommand, option, options_of
from nubbin.cli.signals import INTERRUPTED, ending_gently
from nubbin.cli.units import PATH, STANDARD_OUTPUT, duration
from nubbin.cli.usage import CliError
from nubbin.cli.which_test import condition_options
from nubbin.reduction.option import Group
from nubbin_core.errors import OptionError

_KINDS = """\
How does it misbehave?
  1  it fails: nubbin learns how
  2  it prints something that it should not
  3  it does not print something that it should
  4  it does not end
  5  another command does it right"""

#: What else is asked for each of these: the condition, the question, the type of the answer.
_QUESTIONS: dict[int, tuple[str, str, Any]] = {
    2: ("prints", "A regular expression for that", str),
    3: ("no_prints", "A regular expression for that", str),
    4: ("hangs", "After how many seconds are you sure", duration),
    5: ("differs", "The other command", str),
}


@click.command(cls=SectionCommand)
@click.argument("paths", metavar="[INPUT]...", type=PATH, nargs=-1)
@option(
    "Test",
    "--run",
    "line",
    daily=True,
    metavar="CMD",
    help="The command that fails on INPUT.",
)
@options_of(Group.PRINTS)
@condition_options
@option(
    "Result",
    "-o",
    "--output",
    type=PATH,
    daily=True,
    metavar="FILE",
    help="Write a Python script that you can edit and use as TEST.",
)
@option("Result", "-f", "--force", daily=True, is_flag=True, help="Replace FILE if it exists.")
def init_command(
    *,
    paths: tuple[Path, ...],
    line: str | None,
    output: Path | None,
    force: bool,
    conditions: dict[str, Any],
    prints: str | None,
) -> None:
    """Write a test script for a command that fails on INPUT.

    The command and the conditions are as for `nubbin reduce --run`. nubbin asks for missing ones in
    a terminal, or learns them from the failure. It prints the command line that reduces INPUT; with
    --output, it writes an equivalent script.
    """
    if line is None and not sys.stdin.isatty():
        raise click.UsageError("Missing --run CMD: there is no terminal to ask for it.")
    conditions["prints"] = prints
    try:
        if line is None:
            paths = paths or (Path(click.prompt("The file or folder to reduce", err=True)),)
            line = click.prompt("The command that misbehaves ({} is the file)", err=True)
            conditions.update(_asked())
            output = output or _asked_output()
        elif not paths:
            raise click.UsageError("Missing INPUT: the file or the folder to reduce.")
        with ending_gently():
            _make(line, paths, conditions, output, force=force)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(INTERRUPTED)


def _asked() -> dict[str, Any]:
    """Ask what is wrong; return the condition."""
    click.echo(_KINDS, err=True)
    kind = click.prompt("Number", type=click.IntRange(1, 5), default=1, err=True)
    if kind not in _QUESTIONS:
        return {}
    name, question, answer = _QUESTIONS[kind]
    return {name: click.prompt(question, type=answer, err=True)}


def _asked_output() -> Path | None:
    text = "Write a script to (nothing: show the command line)"
    name = click.prompt(text, default="", show_default=False, err=True)
    return Path(name) if name else None


def _make(
    line: str,
    paths: Sequence[Path],
    conditions: dict[str, Any],
    output: Path | None,
    *,
    force: bool,
) -> None:
    """Print the command line, and write the script if there is a place for it."""
    # Here, so that help need not wait for them.
    from nubbin.disk import check_place, write_whole  # noqa: PLC0415
    from nubbin.oracles.commands.run_test import RunTest  # noqa: PLC0415
    from nubbin.oracles.commands.script import script_of  # noqa: PLC0415
    from nubbin.oracles.failures.conditions import Conditions  # noqa: PLC0415
    from nubbin.reduction.result.output_path import check_outside  # noqa: PLC0415
    from nubbin.reduction.start.check import job_to_check  # noqa: PLC0415

    if output == STANDARD_OUTPUT:
        raise click.UsageError("--output -: standard output has the command line. Name a file.")
    if output is not None and output.exists():
        if any(path.exists() and path.samefile(output) for path in paths):
            raise CliError(f"{output} is the input itself. Name another file for the script.")
        if not force:
            raise CliError(f"{output} exists already. Name another file, or give --force.")
    source = paths[0] if len(paths) == 1 else paths
    try:
        if output is not None:
            check_outside(output, paths)
            check_place(output)
        test = RunTest.of(line, Conditions(**conditions), source)
        job = job_to_check(test, paths)
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    made: RunTest = job.test  # type: ignore[assignment]
    inputs = shlex.join(map(str, paths))
    if output is None:
        click.echo(f"nubbin reduce {made.as_options} {inputs}")
        return
    document = job.original
    text = script_of(str(made), made.conditions, document.name, is_file=document.is_single)
    try:
        write_whole(output, text.encode(errors="surrogateescape"), 0o755)
    except OSError as error:
        raise CliError(f"{output} cannot be written: {error.strerror}.") from None
    click.echo(f"nubbin reduce {shlex.quote(str(output))} {inputs}")
