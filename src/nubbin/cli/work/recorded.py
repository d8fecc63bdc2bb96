"""The work of the commands on recorded runs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from nubbin.cli.display import Display, is_screen, print_json, write_result
from nubbin.cli.parameters import STANDARD_OUTPUT
from nubbin.cli.signals import ending_gently
from nubbin.cli.usage import CliError
from nubbin.journal.mark import Stranger, check_own
from nubbin.journal.reading import candidate, facts_of
from nubbin.journal.recorded_run import RecordedRun, end_of, listed_run, runs_in
from nubbin.journal.run_folders import RUNS, folders_in
from nubbin.option import Group
from nubbin.reduction.job import Job
from nubbin.reduction.options import Options
from nubbin.reduction.recorded.inspection import accepted_candidate, restore
from nubbin.reduction.recorded.inspection import verify as _verify
from nubbin.report.page.html import html, with_mark, write_page
from nubbin.report.page.markdown import markdown as as_markdown
from nubbin.report.page.recording import Recording, commands_again
from nubbin.report.runs_table import lines_about_run, runs_table
from nubbin.text.figures import listed, printable, visible
from nubbin_core.errors import NubbinError
from nubbin_core.late import late

# Each of these is imported by one command, and takes long.
_plain_lines = late("nubbin.watch.panels:plain_lines")
_resume = late("nubbin.reduction.recorded.resume:resume")
_show_run = late("nubbin.cli.work.run:show_run")
_watch_app = late("nubbin.watch.run_screen:WatchApp")


def watch(*, run: Path | None, json: bool) -> None:
    """Show a run, or the runs here: on the whole screen, as text or as JSON."""
    folder = None if run is None else find_run(run)
    if folder is not None:
        facts_of(folder)  # raises if there is no such run
    if is_screen() and not json:
        _watch_app(folder).run()
    elif folder is None:
        log(run=None, json=json)
    elif json:
        print_json("run", *filter(None, [listed_run(folder)]))
    else:
        click.echo("\n".join(_plain_lines(folder)))


def resume(
    *,
    run: Path | None,
    step: int | None,
    prints: str | None,
    options: Options,
    display: Display,
) -> Any:
    """Continue a run, or start a new one from a candidate of it; return the exit code."""
    is_new = bool(step or prints or any(options.values(Group.CHOICES).values()))
    folder = find_run(run) if run or is_new else unfinished_run()
    if options.trust:
        print_trusted(folder)
    work = partial(_resume, folder, step=step, prints=prints, **options.values(Group.RESUME))
    return _show_run(work, folder.name, display)


def log(*, run: Path | None, json: bool) -> None:
    """Print the runs in a folder, or the steps of a run."""
    folder = Path() if run is None else find_run(run)
    if run is not None and not folders_in(folder):
        opened = RecordedRun.open(folder)
        _print_list("step", opened.steps, lines_about_run(opened), json=json)
    elif runs := runs_in(folder):
        _print_list("run", runs, runs_table(runs), json=json)
    else:
        click.echo(f"nubbin: there is no recorded run in {printable(folder.absolute())}.", err=True)


def _print_list(name: str, shown: Iterable[object], lines: Iterable[str], *, json: bool) -> None:
    if json:
        print_json(name, *shown)
    else:
        click.echo("\n".join(lines))


def show(*, which: tuple[str, ...], output: Path | None, options: Options, json: bool) -> None:
    """Print or write an accepted candidate."""
    given, number = _run_and_number(which)
    place = None if output == STANDARD_OUTPUT else output
    try:
        run = find_run(given)
        if place is not None:
            document = restore(run, number, place, trust=options.trust)
        else:
            document, _ = accepted_candidate(run, number)
        if json:
            shown = {"output": place, "files": None if place else document.contents}
            print_json("candidate", shown)
        elif place is None:
            if not document.packed.is_single:
                raise CliError("This candidate is a folder. Name a new one to write: -o PATH")
            write_result(next(iter(document.contents.values())))
    except OSError as error:
        raise CliError(f"The candidate cannot be written: {error}.") from None


def _run_and_number(which: tuple[str, ...]) -> tuple[Path | None, int | None]:
    if len(which) > 2:
        raise click.UsageError("Give a RUN, a NUMBER or both, in this order.")
    *run, number = which or (None,)
    if number is None or not (run or number.isdecimal()):
        return Path(number) if number else None, None
    return Path(run[0]) if run else None, click.IntRange(min=1)(number)


def verify(*, run: Path | None, options: Options, json: bool) -> int:
    """Repeat the proof of a result and print the outcome; return the exit code."""
    try:
        folder = find_run(run)
        if options.trust:
            print_trusted(folder)
        with ending_gently():
            found = _verify(folder, trust=options.trust)
    except OSError as error:
        raise CliError(f"The result cannot be verified: {error}.") from None
    if json:
        print_json("verification", found)
    else:
        yes = {True: "yes", False: "NO"}
        of = f" (of {listed(found.pieces, last='or')})" if found.pieces else ""
        click.echo(printable(found.output))
        click.echo(f"as the run left it: {yes[found.unchanged]}")
        click.echo(f"still accepted: {yes[found.interesting]}")
        click.echo(f"single removals rejected: {found.refused:,} of {found.removals:,}{of}")
    return 0 if found.holds else 1


def report(
    *, run: Path | None, output: Path | None, markdown: bool, full: bool, json: bool
) -> None:
    """Write the report of a run."""
    if full and not markdown:
        raise click.UsageError("--full needs --markdown: the HTML page has all of it.")
    try:
        folder = find_run(run)
        recording = Recording.of(folder)
        page = as_markdown(recording, full=full) if markdown else html(recording)
        job = Job.of(recording.run.facts, candidate(folder, 1))
        name = job.source.stem if job.original.packed.is_single else job.source.name
        here = Path(f"{printable(name)}.report.html")
        place = output or (STANDARD_OUTPUT if markdown else here)
        is_printed = place == STANDARD_OUTPUT
        if not is_printed:
            write_page(page, place, job.shown, named=output is not None)
        if json:
            text, path = (with_mark(page), None) if is_printed else (None, place.absolute())
            print_json("report", {"output": path, "text": text})
        elif is_printed:
            click.echo(with_mark(page), nl=False)
        else:
            click.echo(f"nubbin: report: {printable(place.absolute())}", err=True)
    except OSError as error:
        raise CliError(f"The report cannot be written: {error}.") from None


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
