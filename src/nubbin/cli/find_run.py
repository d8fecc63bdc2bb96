"""Finds the recorded run that a user means."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from nubbin.cli.units import PATH
from nubbin.cli.usage import CliError


def complete_run(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what the Tab key makes of a RUN: names of runs here, or else folders."""
    from nubbin.journal.runs import RUNS  # noqa: PLC0415

    folders = sorted(Path(RUNS).glob("*/"))
    named = [each.name for each in folders if each.name.startswith(incomplete)]
    return [*map(CompletionItem, named)] or [CompletionItem(incomplete, type="dir")]


#: Declares the argument RUN of a command.
run_argument = click.argument(
    "run",
    metavar="[RUN]",
    type=PATH,
    required=False,
    shell_complete=complete_run,
)


def find_run(run: Path | None) -> Path:
    """Return the folder of a run: of this path, of this name in .nubbin, or of the last one here.

    Raises `CliError` if there is none here.
    """
    from nubbin.journal.runs import RUNS  # noqa: PLC0415
    from nubbin.runs.run_list import runs_in  # noqa: PLC0415

    if run is not None:
        named = Path(RUNS) / run
        return named if not run.exists() and named.exists() else run
    here = runs_in(Path())
    if not here:
        raise CliError("There is no recorded run here. Name one, or change to a folder with one.")
    return here[-1].folder


def unfinished_run() -> Path:
    """Return the folder of the last run here that is not done; raises `CliError` for none."""
    from nubbin.runs.run_list import runs_in  # noqa: PLC0415

    here = runs_in(Path())
    left = [run for run in here if run.resumable]
    if not left:
        if under_way := [run for run in here if run.state == "running"]:
            raise CliError(
                f"The run in {under_way[-1].folder} is under way in another process, and no other "
                "run here can go on. Look at it with `nubbin watch`."
            )
        raise CliError("There is no run here that can go on; `nubbin runs` lists them all.")
    return left[-1].folder
