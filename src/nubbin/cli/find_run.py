"""Finds the recorded run that a user means."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from nubbin.cli.units import PATH
from nubbin.cli.usage import CliError
from nubbin.text.visible import visible


def complete_run(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what the Tab key makes of a RUN: names of runs here, or else folders."""
    from nubbin.journal.run_folders import RUNS  # noqa: PLC0415

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
    from nubbin.journal.run_folders import RUNS  # noqa: PLC0415
    from nubbin.runs.run_list import runs_in  # noqa: PLC0415

    if run is not None:
        named = Path(RUNS) / run
        return named if not run.exists() and named.exists() else run
    here = runs_in(Path())
    if not here:
        raise CliError("There is no recorded run here. Name one, or change to a folder with one.")
    return here[-1].folder


def unfinished_run() -> Path:
    """Return the folder of the last run here that is not done; raises `CliError` for none.

    Runs that the user did not record are left out, and named.
    """
    from nubbin.errors import NubbinError  # noqa: PLC0415
    from nubbin.journal.mark import Stranger, check_own  # noqa: PLC0415
    from nubbin.runs.run_list import runs_in  # noqa: PLC0415

    here = runs_in(Path())
    for run in [run.folder for run in here if run.resumable][::-1]:
        try:
            check_own(run)
        except Stranger as error:
            click.echo(visible(f"nubbin: left out: {error}"), err=True)
        except NubbinError:  # what opens it says so
            return run
        except OSError:  # somebody has put a link there, or taken it away
            continue
        else:
            return run
    if under_way := [run for run in here if run.state == "running"]:
        raise CliError(
            f"The run in {under_way[-1].folder} is under way in another process, and no other "
            "run here can go on. Look at it with `nubbin watch`."
        )
    raise CliError("There is no run here that can go on; `nubbin runs` lists them all.")


def print_trusted(run: Path) -> None:
    """Print what a run that is trusted executes and writes; nothing if it cannot be read."""
    from nubbin.errors import NubbinError  # noqa: PLC0415
    from nubbin.journal.reading import candidate, facts_of  # noqa: PLC0415
    from nubbin.reduction.job import Job  # noqa: PLC0415
    from nubbin.report.page.again import commands  # noqa: PLC0415

    with suppress(NubbinError):  # the run is refused with it
        job = Job.of(facts_of(run), candidate(run, 1))
        (_, line), *_ = commands(job, run)
        lines = (f"executes {line}", f"in       {job.test.folder}", f"writes   {job.target}")
        click.echo("\n".join(visible(f"nubbin: {run} {each}") for each in lines), err=True)
