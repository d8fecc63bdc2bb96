"""`nubbin log`, `show`, `verify` and `report`, declared; `recorded.py` does the work."""

from __future__ import annotations

from typing import Any

import click

from nubbin.cli.parameters import SectionCommand, json_option, option, options_of
from nubbin.cli.units import PATH
from nubbin.reduction.option import Group
from nubbin_core.late import late, named

#: Completes the argument RUN of a command.
complete_run = late("nubbin.cli.which_run:complete_run")

#: Declares the argument RUN of a command.
run_argument = click.argument(
    "run",
    metavar="[RUN]",
    type=PATH,
    required=False,
    shell_complete=complete_run,
)


@click.command(cls=SectionCommand)
@run_argument
@json_option
def log_command(**given: Any) -> None:
    """List the runs here, or the steps of RUN.

    RUN is a folder, the name of one in .nubbin, or `last`. For each candidate that RUN accepted,
    nubbin prints its number (for `nubbin show`), its size, the query, and the pass that found it.

    A folder with runs stands for these: `nubbin log FOLDER` lists them.
    """
    named("nubbin.cli.recorded:log")(**given)


@click.command(cls=SectionCommand)
@click.argument("which", metavar="[RUN] [NUMBER]", nargs=-1, shell_complete=complete_run)
@option(
    "Result",
    "-o",
    "--output",
    type=PATH,
    metavar="PATH",
    daily=True,
    help="Write it to PATH, a new file or folder. Default: standard output.",
)
@options_of(Group.TRUST)
@json_option
def show_command(**given: Any) -> None:
    """Print a candidate that RUN accepted, or write it to a new PATH.

    NUMBER is that of `nubbin log RUN`; by default, the best. RUN is a folder, the name of one in
    .nubbin, or `last` (default).

    A number alone is a NUMBER: a folder of such a name is ./17. The run may be under way.
    """
    named("nubbin.cli.recorded:show")(**given)


@click.command(cls=SectionCommand)
@run_argument
@options_of(Group.TRUST)
@json_option
def verify_command(**given: Any) -> None:
    """Repeat the proof of the result of RUN.

    nubbin runs the test on the result, and again with each single element removed. RUN is a folder,
    the name of one in .nubbin, or `last` (default). Exits with 1 if the result does not hold.
    """
    named("nubbin.cli.recorded:verify")(**given)


@click.command(cls=SectionCommand)
@run_argument
@option(
    "Result",
    "-o",
    "--output",
    type=PATH,
    metavar="PATH",
    daily=True,
    help="Where to write; - is standard output. An earlier report is replaced. Default: "
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
def report_command(**given: Any) -> None:
    """Write a report of RUN for a bug tracker.

    By default, one HTML page that needs no network: the input, the result, every step, the proof
    and other failures. RUN is a folder, the name of one in .nubbin, or `last` (default).

    The run may be under way. The page shows the input, the test and their paths: read it before you
    publish it.
    """
    named("nubbin.cli.recorded:report")(**given)
