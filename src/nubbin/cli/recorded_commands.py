"""The commands on recorded runs, declared; `work/recorded.py` does the work."""

from __future__ import annotations

from typing import Any

import click

from nubbin.cli.display import display_options
from nubbin.cli.parameters import SectionCommand, json_option, option, options_of, output_option
from nubbin.cli.value_types import PATH
from nubbin.reduction.option import Group
from nubbin_core.late import late, named

#: Completes the argument RUN of a command.
complete_run = late("nubbin.cli.work.which_run:complete_run")

#: Declares the argument RUN of a command.
run_argument = click.argument(
    "run", metavar="[RUN]", type=PATH, required=False, shell_complete=complete_run
)


@click.command(cls=SectionCommand)
@run_argument
@json_option
def watch_command(**given: Any) -> Any:
    """Watch and steer a run.

    RUN is a folder, the name of one in .nubbin, or `last`. Without RUN, nubbin lists the runs here,
    and Enter opens one. The key ? explains all keys: they pause the run, skip a pass, or change its
    jobs and limits. q leaves the view, and the run continues. If standard output is no terminal,
    nubbin prints the current state of the run.
    """
    return named("nubbin.cli.work.recorded:watch")(**given)


@click.command(cls=SectionCommand)
@run_argument
@option(
    "Result",
    "--from",
    "step",
    daily=True,
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Continue in a new run from this candidate; `nubbin log RUN` lists them.",
)
@options_of(Group.RESUME)
@display_options
def resume_command(**given: Any) -> Any:
    """Continue a run, however it ended.

    RUN is a folder, the name of one in .nubbin, or `last`. Default: the last unfinished one here.
    nubbin repeats no query, except those that a shorter --timeout stopped, and gets the same result
    as without the interruption. If the test has changed, nubbin continues from the best candidate.

    With --from, or a different --prints, --format or --without, nubbin starts a new run from a
    candidate of RUN. The new run replaces the result; the old run is kept unchanged.
    """
    return named("nubbin.cli.work.recorded:resume")(**given)


@click.command(cls=SectionCommand)
@run_argument
@json_option
def log_command(**given: Any) -> Any:
    """List the runs here, or the steps of RUN.

    RUN is a folder, the name of one in .nubbin, or `last`. For each candidate that RUN accepted,
    nubbin prints its number (for `nubbin show`), its size, the query, and the pass that found it.

    A folder with runs stands for these: `nubbin log FOLDER` lists them.
    """
    return named("nubbin.cli.work.recorded:log")(**given)


@click.command(cls=SectionCommand)
@click.argument("which", metavar="[RUN] [NUMBER]", nargs=-1, shell_complete=complete_run)
@output_option("PATH", "Write it to PATH, a new file or folder. Default: standard output.")
@options_of(Group.TRUST)
@json_option
def show_command(**given: Any) -> Any:
    """Print a candidate that RUN accepted, or write it to a new PATH.

    NUMBER is that of `nubbin log RUN`; by default, the best. RUN is a folder, the name of one in
    .nubbin, or `last` (default).

    A number alone is a NUMBER: a folder of such a name is ./17. The run may be under way.
    """
    return named("nubbin.cli.work.recorded:show")(**given)


@click.command(cls=SectionCommand)
@run_argument
@options_of(Group.TRUST)
@json_option
def verify_command(**given: Any) -> Any:
    """Repeat the proof of the result of RUN.

    nubbin runs the test on the result, and again with each single element removed. RUN is a folder,
    the name of one in .nubbin, or `last` (default). Exits with 1 if the result does not hold.
    """
    return named("nubbin.cli.work.recorded:verify")(**given)


@click.command(cls=SectionCommand)
@run_argument
@output_option(
    "PATH",
    "Where to write; - is standard output. An earlier report is replaced. Default: "
    "NAME.report.html in the current folder, and standard output for Markdown.",
)
@option(
    "Result", "--markdown", daily=True, is_flag=True, help="Write Markdown for an issue tracker."
)
@option(
    "Result",
    "--full",
    daily=True,
    is_flag=True,
    help="With --markdown: add the passes, the steps, the proof and other failures.",
)
@json_option
def report_command(**given: Any) -> Any:
    """Write a report of RUN for a bug tracker.

    By default, one HTML page that needs no network: the input, the result, every step, the proof
    and other failures. RUN is a folder, the name of one in .nubbin, or `last` (default).

    The run may be under way. The page shows the input, the test and their paths: read it before you
    publish it.
    """
    return named("nubbin.cli.work.recorded:report")(**given)
