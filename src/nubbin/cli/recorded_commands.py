"""`nubbin runs`, `history`, `restore`, `verify` and `report`, and which run is meant."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from nubbin.cli.parameters import options_of
from nubbin.cli.signals import INTERRUPTED, ending_gently
from nubbin.cli.units import PATH, STANDARD_OUTPUT
from nubbin.cli.usage import CliError
from nubbin.reduction.options import TrustOption
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
        except OSError:  # it is a link by now, or gone
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
        (_, line), *_ = commands(job, run, is_done=True)
        lines = (f"executes {line}", f"in       {job.test.folder}", f"writes   {job.target}")
        click.echo("\n".join(visible(f"nubbin: {run} {each}") for each in lines), err=True)


@click.command()
@click.argument(
    "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=Path()
)
def runs_command(folder: Path) -> None:
    """List the recorded runs in FOLDER, by default the current one."""
    from nubbin.report.runs_table import runs_table  # noqa: PLC0415
    from nubbin.runs.run_list import runs_in  # noqa: PLC0415
    from nubbin.text.visible import printable  # noqa: PLC0415

    runs = runs_in(folder)
    if runs:
        click.echo("\n".join(runs_table(runs)))
    else:
        click.echo(f"nubbin: there is no recorded run in {printable(folder.absolute())}.", err=True)


@click.command()
@run_argument
def history_command(run: Path | None) -> None:
    """Tell how RUN was made, and list what it accepted.

    RUN is a folder, or the name of one in .nubbin; by default the last one here. Each candidate
    that it accepted has a number, for `nubbin restore`, the pass that found it, and after how many
    queries.
    """
    from nubbin.errors import NubbinError  # noqa: PLC0415
    from nubbin.report.runs_table import history_lines  # noqa: PLC0415
    from nubbin.runs.recorded_run import RecordedRun  # noqa: PLC0415

    try:
        lines = list(history_lines(RecordedRun.open(find_run(run))))
    except NubbinError as error:
        raise CliError(str(error)) from None
    click.echo("\n".join(lines))


@click.command()
@click.argument("which", metavar="[RUN] [NUMBER]", nargs=-1, shell_complete=complete_run)
@click.option("-o", "--output", type=PATH, metavar="PATH", required=True, help="Where to write.")
@options_of(TrustOption)
def restore_command(which: tuple[str, ...], output: Path, *, trust: bool) -> None:
    """Write a candidate that RUN accepted to a new PATH.

    `nubbin history` lists them by NUMBER; by default it is the best. RUN is a folder, or the name
    of one in .nubbin; by default the last one here. A number alone is a NUMBER: a folder of such a
    name is ./17. The run may be under way.
    """
    from nubbin.errors import NubbinError  # noqa: PLC0415
    from nubbin.reduction.recorded.restore import restore  # noqa: PLC0415

    run, number = _run_and_number(which)
    try:
        restore(find_run(run), number, output, trust=trust)
    except NubbinError as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"The candidate cannot be written: {error}.") from None


def _run_and_number(which: tuple[str, ...]) -> tuple[Path | None, int | None]:
    """Return the arguments of `nubbin restore`; raises a usage error for others."""
    if len(which) > 2:
        raise click.UsageError("Give a RUN, a NUMBER or both, in this order.")
    *run, number = which or (None,)
    if number is None or not (run or number.isdecimal()):
        return Path(number) if number else None, None
    return Path(run[0]) if run else None, click.IntRange(min=1)(number)


@click.command()
@run_argument
@options_of(TrustOption)
def verify_command(run: Path | None, *, trust: bool) -> None:
    """Run the test again on the result of RUN and on each removal.

    The result is tested as it is and with every single element removed. RUN is a folder, or the
    name of one in .nubbin; by default the last one here.
    """
    from nubbin.errors import NubbinError  # noqa: PLC0415
    from nubbin.reduction.recorded.verify import verify  # noqa: PLC0415
    from nubbin.report.summary import either  # noqa: PLC0415
    from nubbin.text.visible import printable  # noqa: PLC0415

    try:
        folder = find_run(run)
        if trust:
            print_trusted(folder)
        with ending_gently():
            found = verify(folder, trust=trust)
    except NubbinError as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"The result cannot be verified: {error}.") from None
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    yes = {True: "yes", False: "NO"}
    click.echo(printable(found.output))
    click.echo(f"as the run left it: {yes[found.unchanged]}")
    click.echo(f"still interesting: {yes[found.interesting]}")
    of = f" (of {either(found.pieces)})" if found.pieces else ""
    click.echo(f"single removals refused: {found.refused:,} of {found.removals:,}{of}")
    sys.exit(0 if found.holds else 1)


@click.command()
@run_argument
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="PATH",
    help="Where to write; - is standard output. An earlier report is replaced. By default "
    "NAME.report.html in the current folder, of Markdown standard output.",
)
@click.option("--markdown", is_flag=True, help="Write Markdown, short enough for an issue tracker.")
def report_command(run: Path | None, output: Path | None, markdown: bool) -> None:
    """Tell all of RUN in one page of HTML that needs no network.

    It has the input and what is left of it, every step, the passes, the proof, other bugs, and how
    to run it again. RUN is a folder, or the name of one in .nubbin; by default the last one here.
    The run may be under way. The page shows the input, the test and the paths of both: look before
    you publish it.
    """
    from nubbin.errors import NubbinError  # noqa: PLC0415
    from nubbin.journal.reading import candidate, facts_of  # noqa: PLC0415
    from nubbin.reduction.job import Job  # noqa: PLC0415
    from nubbin.report.page.html import report  # noqa: PLC0415
    from nubbin.report.page.place import marked, write_page  # noqa: PLC0415
    from nubbin.text.visible import printable  # noqa: PLC0415

    try:
        folder = find_run(run)
        page = report(folder, markdown=markdown)
        job = Job.of(facts_of(folder), candidate(folder, 1))
        here = Path(f"{printable(job.source.name)}.report.html")
        place = output or (STANDARD_OUTPUT if markdown else here)
        if place == STANDARD_OUTPUT:
            click.echo(marked(page), nl=False)
        else:
            write_page(page, place, job.shown, named=output is not None)
            click.echo(f"nubbin: report: {printable(place.absolute())}", err=True)
    except NubbinError as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"The report cannot be written: {error}.") from None
