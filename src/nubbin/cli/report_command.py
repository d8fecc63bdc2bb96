"""`nubbin report`: a recorded run as a page to attach to a bug report."""

from __future__ import annotations

from pathlib import Path

import click

from nubbin.cli.find_run import find_run, run_argument
from nubbin.cli.units import PATH
from nubbin.cli.usage import CliError


@click.command()
@run_argument
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="PATH",
    required=True,
    help="Where to write; - is standard output. An earlier report is replaced.",
)
@click.option("--markdown", is_flag=True, help="Write Markdown, short enough for an issue tracker.")
def report_command(run: Path | None, output: Path, markdown: bool) -> None:
    """Tell all of RUN in one page of HTML that needs no network.

    It has the input and what is left of it, every step, the passes, the proof, other bugs, and how
    to run it again. RUN is a folder, or the name of one in .nubbin; by default the last one here.
    The run may be under way. The page shows the input, the test and the paths of both: look before
    you publish it.
    """
    from nubbin.journal.reading import facts_of  # noqa: PLC0415
    from nubbin.oracles.errors import NubbinError  # noqa: PLC0415
    from nubbin.reduction.job import Job  # noqa: PLC0415
    from nubbin.report.page.place import write_page  # noqa: PLC0415
    from nubbin.report.page.report import report  # noqa: PLC0415

    try:
        folder = find_run(run)
        page = report(folder, markdown=markdown)
        write_page(page, output, Job.of(facts_of(folder), {}).source)
    except NubbinError as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"The report cannot be written: {error}.") from None
