"""The work of `nubbin init`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from nubbin.cli.signals import ending_gently
from nubbin.cli.usage import CliError
from nubbin.cli.value_types import STANDARD_OUTPUT, as_seconds
from nubbin.disk import check_place, write_whole
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.script import script_of
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.job import Job
from nubbin.reduction.result.output_path import check_outside
from nubbin.reduction.start.check import job_to_check
from nubbin.report.json_lines import json_lines

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
    4: ("hangs", "After how many seconds are you sure", as_seconds),
    5: ("differs", "The other command", str),
}


def init(
    *,
    paths: Sequence[Path],
    line: str | None,
    output: Path | None,
    conditions: Conditions,
    force: bool,
    json: bool,
) -> None:
    """Print the command line that reduces, and write a script; ask for them without a `line`."""
    if line is None and not sys.stdin.isatty():
        raise click.UsageError("Missing --run CMD: there is no terminal to ask for it.")
    if line is not None and not paths:
        raise click.UsageError("Missing INPUT: the file or the folder to reduce.")
    if line is None:
        paths = paths or (Path(click.prompt("The file or folder to reduce", err=True)),)
        line = click.prompt("The command that misbehaves ({} is the file)", err=True)
        conditions = replace(conditions, **_asked())
        if output is None:
            text = "Write a script to (nothing: show the command line)"
            name = click.prompt(text, default="", show_default=False, err=True)
            output = Path(name) if name else None
    with ending_gently():
        _check_script(output, paths, force=force)
        source = paths[0] if len(paths) == 1 else paths
        job = job_to_check(RunTest.of(line, conditions, source), paths)
        if output is not None:
            _write_script(job, output)
    test = job.test.as_options if output is None else shlex.quote(str(output))
    reduces = f"nubbin reduce {test} {shlex.join(map(str, paths))}"
    shown = [{"line": reduces, "output": output}]
    click.echo(json_lines("command", shown) if json else f"{reduces}\n", nl=False)


def _asked() -> dict[str, Any]:
    click.echo(_KINDS, err=True)
    kind = click.prompt("Number", type=click.IntRange(1, 5), default=1, err=True)
    if kind not in _QUESTIONS:
        return {}
    name, question, answer = _QUESTIONS[kind]
    return {name: click.prompt(question, type=answer, err=True)}


def _check_script(output: Path | None, paths: Sequence[Path], *, force: bool) -> None:
    if output is None:
        return
    if output == STANDARD_OUTPUT:
        raise click.UsageError("--output -: standard output has the command line. Name a file.")
    if output.exists():
        if any(path.exists() and path.samefile(output) for path in paths):
            raise CliError(f"{output} is the input itself. Name another file for the script.")
        if not force:
            raise CliError(f"{output} exists already. Name another file, or give --force.")
    check_outside(output, paths)
    check_place(output)


def _write_script(job: Job, output: Path) -> None:
    document = job.original
    text = script_of(str(job.test), job.test.conditions, document.name, is_file=document.is_single)
    try:
        write_whole(output, text.encode(errors="surrogateescape"), 0o755)
    except OSError as error:
        raise CliError(f"{output} cannot be written: {error.strerror}.") from None
