"""`nubbin log`, `show`, `verify` and `report`, and how they find a run."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from nubbin.cli.display import write_result
from nubbin.cli.parameters import SectionCommand, json_option, option, options_of
from nubbin.cli.signals import INTERRUPTED, ending_gently
from nubbin.cli.units import PATH, STANDARD_OUTPUT
from nubbin.cli.usage import CliError
from nubbin.reduction.option import Group
from nubbin.text.visible import printable, visible
from nubbin_core.errors import NubbinError


def complete_run(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what the Tab key makes of a RUN: names of runs here, or else folders."""
    from nubbin.journal.run_folders import RUNS  # noqa: PLC0415

    folders = sorted(Path(RUNS).glob("*/"))
    named = [each.name for each in folders if each.name.startswith(incomplete)]
    return [*map(CompletionItem, named)] or [CompletionItem(incomplete, type="dir")]


#: What is given for a run to mean the last one here.
LAST = Path("last")

#: Declares the argument RUN of a command.
run_argument = click.argument(
    "run",
    metavar="[RUN]",
    type=PATH,
    required=False,
    shell_complete=complete_run,
)


def find_run(run: Path | None) -> Path:
    """Return the folder of a run: of this path, of this name in .nubbin, or the last one here.

    Raises `CliError` if there is none here.
    """
    from nubbin.journal.run_folders import RUNS  # noqa: PLC0415
    from nubbin.runs.run_list import runs_in  # noqa: PLC0415

    if run is not None:
        found = next((each for each in (run, Path(RUNS) / run) if each.exists()), None)
        if found or run != LAST:
            return found or run
    here = runs_in(Path())
    if not here:
        raise CliError("There is no recorded run here. Name one, or change to a folder with one.")
    return here[-1].folder


def unfinished_run() -> Path:
    """Return the folder of the last run here that is not done; raises `CliError` for none.

    Runs that the user did not record are left out, and named.
    """
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
        except OSError:  # it is a link by now, or gone
            continue
        else:
            return run
    if under_way := [run for run in here if run.state == "running"]:
        raise CliError(
            f"The run in {under_way[-1].folder} is under way in another process, and no other "
            "run here can go on. Look at it with `nubbin watch`."
        )
    raise CliError("There is no run here that can go on; `nubbin log` lists them all.")


def print_trusted(run: Path) -> None:
    """Print what a run that is trusted executes and writes; nothing if it cannot be read."""
    from nubbin.journal.reading import candidate, facts_of  # noqa: PLC0415
    from nubbin.reduction.job import Job  # noqa: PLC0415
    from nubbin.report.page.again import commands  # noqa: PLC0415

    with suppress(NubbinError):  # the run is refused with it
        job = Job.of(facts_of(run), candidate(run, 1))
        (_, line), *_ = commands(job, run, is_done=True)
        lines = (f"executes {line}", f"in       {job.test.folder}", f"writes   {job.target}")
        click.echo("\n".join(visible(f"nubbin: {run} {each}") for each in lines), err=True)


@click.command(cls=SectionCommand)
@run_argument
@json_option
def log_command(run: Path | None, *, json: bool) -> None:
    """List the runs here, or the steps of RUN.

    RUN is a folder, the name of one in .nubbin, or `last`. For each candidate that RUN accepted,
    nubbin prints its number (for `nubbin show`), its size, the query, and the pass that found it.

    A folder with runs stands for these: `nubbin log FOLDER` lists them.
    """
    from nubbin.journal.run_folders import folders_in  # noqa: PLC0415
    from nubbin.report.json_lines import lines  # noqa: PLC0415
    from nubbin.report.runs_table import log_lines, runs_table  # noqa: PLC0415
    from nubbin.runs.recorded_run import RecordedRun  # noqa: PLC0415
    from nubbin.runs.run_list import runs_in  # noqa: PLC0415

    folder = Path() if run is None else find_run(run)
    if run is not None and not folders_in(folder):
        opened = RecordedRun.open(folder)
        text = lines("step", opened.steps) if json else "\n".join(log_lines(opened)) + "\n"
    elif runs := runs_in(folder):
        text = lines("run", runs) if json else "\n".join(runs_table(runs)) + "\n"
    else:
        text = ""
        click.echo(f"nubbin: there is no recorded run in {printable(folder.absolute())}.", err=True)
    click.echo(text, nl=False)


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
def show_command(which: tuple[str, ...], output: Path | None, *, trust: bool, json: bool) -> None:
    """Print a candidate that RUN accepted, or write it to a new PATH.

    NUMBER is that of `nubbin log RUN`; by default, the best. RUN is a folder, the name of one in
    .nubbin, or `last` (default).

    A number alone is a NUMBER: a folder of such a name is ./17. The run may be under way.
    """
    from nubbin.reduction.recorded.restore import accepted, restore  # noqa: PLC0415
    from nubbin.report.json_lines import lines  # noqa: PLC0415

    given, number = _run_and_number(which)
    place = None if output == STANDARD_OUTPUT else output
    try:
        run = find_run(given)
        if place is not None:
            document = restore(run, number, place, trust=trust)
        else:
            document, _ = accepted(run, number)
        if json:
            shown = {"output": place, "files": None if place else document.contents}
            click.echo(lines("candidate", [shown]), nl=False)
        elif place is None:
            if not document.packed.is_single:
                raise CliError("This candidate is a folder. Name a new one to write: -o PATH")
            write_result(next(iter(document.contents.values())))
    except OSError as error:
        raise CliError(f"The candidate cannot be written: {error}.") from None


def _run_and_number(which: tuple[str, ...]) -> tuple[Path | None, int | None]:
    """Return the arguments of `nubbin show`; raises a usage error for others."""
    if len(which) > 2:
        raise click.UsageError("Give a RUN, a NUMBER or both, in this order.")
    *run, number = which or (None,)
    if number is None or not (run or number.isdecimal()):
        return Path(number) if number else None, None
    return Path(run[0]) if run else None, click.IntRange(min=1)(number)


@click.command(cls=SectionCommand)
@run_argument
@options_of(Group.TRUST)
@json_option
def verify_command(run: Path | None, *, trust: bool, json: bool) -> None:
    """Repeat the proof of the result of RUN.

    nubbin runs the test on the result, and again with each single element removed. RUN is a folder,
    the name of one in .nubbin, or `last` (default). Exits with 1 if the result does not hold.
    """
    from nubbin.reduction.recorded.verify import verify  # noqa: PLC0415
    from nubbin.report.json_lines import lines  # noqa: PLC0415
    from nubbin.report.summary import either  # noqa: PLC0415

    try:
        folder = find_run(run)
        if trust:
            print_trusted(folder)
        with ending_gently():
            found = verify(folder, trust=trust)
    except OSError as error:
        raise CliError(f"The result cannot be verified: {error}.") from None
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    if json:
        click.echo(lines("verification", [found]), nl=False)
    else:
        yes = {True: "yes", False: "NO"}
        of = f" (of {either(found.pieces)})" if found.pieces else ""
        click.echo(printable(found.output))
        click.echo(f"as the run left it: {yes[found.unchanged]}")
        click.echo(f"still interesting: {yes[found.interesting]}")
        click.echo(f"single removals rejected: {found.refused:,} of {found.removals:,}{of}")
    sys.exit(0 if found.holds else 1)


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
def report_command(run: Path | None, *, output: Path | None, markdown: bool, full: bool) -> None:
    """Write a report of RUN for a bug tracker.

    By default, one HTML page that needs no network: the input, the result, every step, the proof
    and other failures. RUN is a folder, the name of one in .nubbin, or `last` (default).

    The run may be under way. The page shows the input, the test and their paths: read it before you
    publish it.
    """
    if full and not markdown:
        raise click.UsageError("--full needs --markdown: the HTML page has all of it.")
    from nubbin.journal.reading import candidate, facts_of  # noqa: PLC0415
    from nubbin.reduction.job import Job  # noqa: PLC0415
    from nubbin.report.page.html import report  # noqa: PLC0415
    from nubbin.report.page.place import marked, write_page  # noqa: PLC0415

    try:
        folder = find_run(run)
        page = report(folder, markdown=markdown, full=full)
        job = Job.of(facts_of(folder), candidate(folder, 1))
        name = job.source.stem if job.original.packed.is_single else job.source.name
        here = Path(f"{printable(name)}.report.html")
        place = output or (STANDARD_OUTPUT if markdown else here)
        if place == STANDARD_OUTPUT:
            click.echo(marked(page), nl=False)
        else:
            write_page(page, place, job.shown, named=output is not None)
            click.echo(f"nubbin: report: {printable(place.absolute())}", err=True)
    except OSError as error:
        raise CliError(f"The report cannot be written: {error}.") from None
