"""`nubbin init`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nubbin.cli.parameters import SectionCommand, json_option, option, options_of, output_option
from nubbin.cli.signals import INTERRUPTED, ending_gently
from nubbin.cli.units import PATH, duration
from nubbin.cli.which_test import condition_options
from nubbin.reduction.option import Group
from nubbin_core.late import late

_lines = late("nubbin.report.json_lines:lines")
_write_script = late("nubbin.cli.work.init_script:write_script")

_KINDS = """\
How does it misbehave?
  1  it fails: nubbin learns how
  2  it prints something that it should not
  3  it does not print something that it should
  4  it does not end
  5  another command does it right"""

#: For each of these, the condition, the next question, and the type of its answer.
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
@output_option("FILE", "Write a Python script that you can edit and use as TEST.")
@option("Result", "-f", "--force", daily=True, is_flag=True, help="Replace FILE if it exists.")
@json_option
def init_command(
    *,
    paths: tuple[Path, ...],
    line: str | None,
    output: Path | None,
    force: bool,
    conditions: dict[str, Any],
    prints: str | None,
    json: bool,
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
            if output is None:
                text = "Write a script to (nothing: show the command line)"
                name = click.prompt(text, default="", show_default=False, err=True)
                output = Path(name) if name else None
        elif not paths:
            raise click.UsageError("Missing INPUT: the file or the folder to reduce.")
        with ending_gently():
            reduces = _write_script(line, paths, conditions, output, force=force)
        shown = [{"line": reduces, "output": output}]
        click.echo(_lines("command", shown) if json else f"{reduces}\n", nl=False)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(INTERRUPTED)


def _asked() -> dict[str, Any]:
    """Ask how the command misbehaves; return the condition."""
    click.echo(_KINDS, err=True)
    kind = click.prompt("Number", type=click.IntRange(1, 5), default=1, err=True)
    if kind not in _QUESTIONS:
        return {}
    name, question, answer = _QUESTIONS[kind]
    return {name: click.prompt(question, type=answer, err=True)}
