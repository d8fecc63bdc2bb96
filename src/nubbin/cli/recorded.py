"""`nubbin runs`, `history`, `restore` and `verify`: what was recorded."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from nubbin.cli.mistakes import Mistake
from nubbin.cli.signals import INTERRUPTED, ending_gently

_path = click.Path(path_type=Path)
_run = click.argument("run", metavar="RUN", type=_path)


@click.command()
@click.argument("folder", type=_path, default=Path())
def runs_command(folder: Path) -> None:
    """List the recorded runs in FOLDER, by default the current one."""
    from nubbin.journal.runs import runs_in  # noqa: PLC0415

    for run in runs_in(folder):
        sizes = f"{run.before:,} -> {run.after:,} bytes"
        queries = f"{run.queries:,} queries"
        click.echo(f"{run.folder.name}  {_time(run.begun)}  {run.state}  {sizes}  {queries}")


@click.command()
@_run
def history_command(run: Path) -> None:
    """Tell how RUN was made, and list every candidate that it accepted.

    Each has a number, for `nubbin restore`, the pass that found it, and after how many queries.
    """
    from nubbin.journal.history import History  # noqa: PLC0415
    from nubbin.oracles.errors import WrongTest  # noqa: PLC0415
    from nubbin.reduction.job import OPTIONS, Job  # noqa: PLC0415

    try:
        history = History.of(find_run(run))
        about, job = history.about, Job.of(history.about, {})
    except WrongTest as error:
        raise Mistake(str(error)) from None
    given = {name: value for name in OPTIONS if (value := getattr(job, name)) is not None}
    click.echo(f"input: {job.source}")
    click.echo(f"test: {job.test}, with the digest {about['test_digest']}")
    click.echo(f"options: {' '.join(f'{name}={value}' for name, value in given.items())}")
    for part in about.get("sessions", ()):
        made = f"nubbin {part['nubbin']}, Python {part['python']}, {part['platform']}"
        click.echo(f"from {_time(part['begun'])} on: {made}")
    for each in history.accepted:
        found = f"{each.step}, query {each.queries:,}" if each.step else "the input"
        click.echo(f"{each.number:6}  {each.bytes:>13,} bytes  {found}")


@click.command()
@_run
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option("-o", "--output", type=_path, metavar="PATH", required=True, help="Where to write.")
def restore_command(run: Path, number: int | None, output: Path) -> None:
    """Write the candidate of RUN with this NUMBER, by default the best, to a new PATH.

    `nubbin history RUN` lists them. The run may be under way.
    """
    from nubbin.oracles.errors import WrongTest  # noqa: PLC0415
    from nubbin.reduction.restore import restore  # noqa: PLC0415

    try:
        restore(find_run(run), number, output)
    except WrongTest as error:
        raise Mistake(str(error)) from None
    except OSError as error:
        raise Mistake(f"The candidate cannot be written: {error}.") from None


@click.command()
@_run
def verify_command(run: Path) -> None:
    """Run the test afresh on the result of RUN and on every single removal from it."""
    from nubbin.oracles.errors import WrongTest  # noqa: PLC0415
    from nubbin.reduction.verify import verify  # noqa: PLC0415

    try:
        with ending_gently():
            found = verify(find_run(run))
    except WrongTest as error:
        raise Mistake(str(error)) from None
    except OSError as error:
        raise Mistake(f"The result cannot be verified: {error}.") from None
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    yes = {True: "yes", False: "NO"}
    click.echo(f"{found.output}")
    click.echo(f"as the run left it: {yes[found.unchanged]}")
    click.echo(f"still interesting: {yes[found.interesting]}")
    click.echo(f"single removals refused: {found.refused:,} of {found.removals:,}")
    sys.exit(0 if found.holds else 1)


def find_run(run: Path) -> Path:
    """Return the folder of a run: the one of this path, or of this name in .nubbin."""
    from nubbin.journal.runs import RUNS  # noqa: PLC0415

    named = Path(RUNS) / run
    return named if not run.exists() and named.exists() else run


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
