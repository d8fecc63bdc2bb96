"""The work of `nubbin init`: write a test script, or print the command line that reduces."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nubbin.cli.units import STANDARD_OUTPUT
from nubbin.cli.usage import CliError
from nubbin.disk import check_place, write_whole
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.script import script_of
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.result.output_path import check_outside
from nubbin.reduction.start.check import job_to_check
from nubbin_core.errors import OptionError


def write_script(
    line: str,
    paths: Sequence[Path],
    conditions: dict[str, Any],
    output: Path | None,
    *,
    force: bool,
) -> str:
    """Return the command line that reduces; write the script if there is an `output`."""
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
        return f"nubbin reduce {made.as_options} {inputs}"
    document = job.original
    text = script_of(str(made), made.conditions, document.name, is_file=document.is_single)
    try:
        write_whole(output, text.encode(errors="surrogateescape"), 0o755)
    except OSError as error:
        raise CliError(f"{output} cannot be written: {error.strerror}.") from None
    return f"nubbin reduce {shlex.quote(str(output))} {inputs}"
