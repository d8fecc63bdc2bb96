"""The commands on recorded runs, declared; `work/recorded.py` does the work."""

from __future__ import annotations

import click

from nubbin.cli.display import display_options
from nubbin.cli.parameters import PATH, SectionOption, json_option, options_of, output_option
from nubbin.cli.section_command import SectionCommand
from nubbin.cli.which_test import prints_option
from nubbin.option import Group
from nubbin_core.late import late

#: Completes the argument RUN of a command.
complete_run = late("nubbin.cli.work.recorded:complete_run")

#: The argument RUN of a command.
run_argument = click.Argument(
    ["run"], metavar="[RUN]", type=PATH, required=False, shell_complete=complete_run
)

watch_command = SectionCommand(
    late("nubbin.cli.work.recorded:watch"),
    """Watch and steer a run.

    RUN is a folder, the name of one in .nubbin, or `last`. Without RUN, nubbin lists the runs here,
    and Enter opens one. The key ? explains all keys: they pause the run, skip a pass, or change its
    jobs and limits. q leaves the view, and the run continues. If standard output is no terminal,
    nubbin prints the current state of the run.
    """,
    run_argument,
    json_option,
)

resume_command = SectionCommand(
    late("nubbin.cli.work.recorded:continue_run"),
    """Continue a run, however it ended.

    RUN is a folder, the name of one in .nubbin, or `last`. Default: the last unfinished one here.
    nubbin repeats no query, except those that a shorter --timeout stopped, and gets the same result
    as without the interruption. If the test has changed, nubbin continues from the best candidate.

    With --from, or a different --prints, --format or --without, nubbin starts a new run from a
    candidate of RUN. The new run replaces the result; the old run is kept unchanged.
    """,
    run_argument,
    SectionOption(
        "Result",
        "--from step",
        "Continue in a new run from this candidate; `nubbin log RUN` lists them.",
        daily=True,
        type=click.IntRange(min=1),
        metavar="NUMBER",
    ),
    prints_option,
    options_of(Group.RESUME),
    display_options,
)

log_command = SectionCommand(
    late("nubbin.cli.work.recorded:log"),
    """List the runs here, or the steps of RUN.

    RUN is a folder, the name of one in .nubbin, or `last`. For each candidate that RUN accepted,
    nubbin prints its number (for `nubbin show`), its size, the query, and the pass that found it.

    A folder with runs stands for these: `nubbin log FOLDER` lists them.
    """,
    run_argument,
    json_option,
)

show_command = SectionCommand(
    late("nubbin.cli.work.recorded:show"),
    """Print a candidate that RUN accepted, or write it to a new PATH.

    NUMBER is as in `nubbin log RUN`; by default, the best. RUN is a folder, the name of one in
    .nubbin, or `last` (default).

    A number alone is a NUMBER: a folder of such a name is ./17. The run may be under way.
    """,
    click.Argument(["which"], metavar="[RUN] [NUMBER]", nargs=-1, shell_complete=complete_run),
    output_option("PATH", "Write it to PATH, a new file or folder. Default: standard output."),
    options_of(Group.TRUST),
    json_option,
)

verify_command = SectionCommand(
    late("nubbin.cli.work.recorded:repeat_proof"),
    """Repeat the proof of the result of RUN.

    nubbin runs the test on the result, and again with each single element removed. RUN is a folder,
    the name of one in .nubbin, or `last` (default). Exits with 1 if the result does not hold.
    """,
    run_argument,
    options_of(Group.TRUST),
    json_option,
)

report_command = SectionCommand(
    late("nubbin.cli.work.recorded:write_report"),
    """Write a report of RUN for a bug tracker.

    By default, one HTML page that needs no network: the input, the result, every step, the proof
    and other failures. RUN is a folder, the name of one in .nubbin, or `last` (default).

    The run may be under way. The page shows the input, the test and their paths: read it before you
    publish it.
    """,
    run_argument,
    output_option(
        "PATH",
        "Where to write; - is standard output. An earlier report is replaced. Default: "
        "NAME.report.html in the current folder, and standard output for Markdown.",
    ),
    SectionOption("Result", "--markdown", "Write Markdown for an issue tracker.", daily=True),
    SectionOption(
        "Result",
        "--full",
        "With --markdown: add the passes, the steps, the proof and other failures.",
        daily=True,
    ),
    json_option,
)
