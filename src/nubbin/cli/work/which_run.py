"""Find the recorded run that RUN means on a command line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from nubbin.cli.usage import CliError
from nubbin.journal.mark import Stranger, check_own
from nubbin.journal.reading import candidate, facts_of
from nubbin.journal.run_folders import RUNS
from nubbin.reduction.job import Job
from nubbin.report.page.again import commands_again
from nubbin.runs.ends import end_of
from nubbin.runs.run_list import runs_in
from nubbin.text.visible import visible
from nubbin_core.errors import NubbinError

#: Given as RUN, it means the last run in the current folder.
_LAST = Path("last")


def complete_run(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the completions of RUN: the names of runs in the current folder, or else folders."""
    folders = sorted(Path(RUNS).glob("*/"))
    names = [each.name for each in folders if each.name.startswith(incomplete)]
    return [*map(CompletionItem, names)] or [CompletionItem(incomplete, type="dir")]


def find_run(run: Path | None) -> Path:
    """Return the run at a path, of a name in .nubbin, or the last one; raises CliError if none."""
    if run is not None:
        found = next((each for each in (run, Path(RUNS) / run) if each.exists()), None)
        if found or run != _LAST:
            return found or run
    here = runs_in(Path())
    if not here:
        raise CliError("There is no recorded run here. Name one, or change to a folder with one.")
    return here[-1].folder


def unfinished_run() -> Path:
    """Return the last unfinished run of the user's own here; raises `CliError` if there is none."""
    here = runs_in(Path())
    for run in [run.folder for run in here if run.resumable][::-1]:
        try:
            check_own(run)
        except Stranger as error:
            click.echo(visible(f"nubbin: left out: {error}"), err=True)
        except NubbinError:  # opening the run reports it
            return run
        except OSError:  # it was replaced by a link, or removed
            continue
        else:
            return run
    if under_way := [run for run in here if end_of(run.state).is_under_way]:
        raise CliError(
            f"The run in {under_way[-1].folder} is under way in another process, and no other "
            "run here can continue. Look at it with `nubbin watch`."
        )
    raise CliError("There is no run here that can continue; `nubbin log` lists them all.")


def print_trusted(run: Path) -> None:
    """Print what a trusted run executes and writes; nothing if it cannot be read."""
    with suppress(NubbinError):  # opening the run reports it
        job = Job.of(facts_of(run), candidate(run, 1))
        (_, line), *_ = commands_again(job, run, is_done=True)
        lines = (f"executes {line}", f"in       {job.test.folder}", f"writes   {job.target}")
        click.echo("\n".join(visible(f"nubbin: {run} {each}") for each in lines), err=True)
