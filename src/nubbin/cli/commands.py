"""The commands, declared in the order of the help; the modules of `work` do their work."""

from __future__ import annotations

import click

from nubbin.cli.display import display_options
from nubbin.cli.parameters import (
    PATH,
    SectionOption,
    json_option,
    options_of,
    output_option,
    run_dir_option,
)
from nubbin.cli.section_command import SectionCommand
from nubbin.cli.which_test import FORMS, condition_options, prints_option, test_options
from nubbin.option import Group
from nubbin_core.late import late

#: Completes the argument RUN of a command.
complete_run = late("nubbin.cli.work.recorded:complete_run")

#: The argument RUN of a command.
run_argument = click.Argument(
    ["run"], metavar="[RUN]", type=PATH, required=False, shell_complete=complete_run
)

reduce_command = SectionCommand(
    late("nubbin.cli.work.run:reduce"),
    """Shrink INPUT to the smallest version that still fails.

    INPUT is one or more files or folders. TEST is an executable that exits with 0 if its last
    argument, a smaller version of INPUT, still fails. The options --run, --server and --python
    replace TEST.

    nubbin runs TEST in a new folder that contains only the candidate, a smaller version of INPUT
    under the same name. A single file is also TEST's standard input. Its exit code means: 0, still
    fails; 125, cannot tell; 101, a different failure. Any other code, a signal or a timeout rejects
    the candidate.

    nubbin ignores .git, installed packages, caches and files named in .gitignore. INPUT can be a
    stream: - for standard input, or <(...). Lines with the words "nubbin: keep" are kept.

    nubbin writes the result to NAME.reduced.EXT beside INPUT, or to standard output with -o -. The
    best candidate is always on disk: Ctrl-C keeps it, and `nubbin resume` continues the run.
    """,
    click.Argument(["paths"], metavar="TEST INPUT...", type=PATH, nargs=-1),
    options_of(Group.RESULT),
    run_dir_option("beside the result"),
    test_options,
    options_of(Group.REDUCE & ~Group.RESULT),
    condition_options,
    display_options,
    forms=FORMS,
    epilog="""\b
Exit codes:
  0    the result is written (--stats names the reason for the end)
  1    an error in the test or the input, or standard output cannot be written
  2    an error in the command line
  130  interrupted (Ctrl-C): the best result so far is written
""",
    examples=(
        ("nubbin reduce --run 'gcc -O2 -c' a.c", "learn how gcc fails"),
        ("nubbin reduce a.c -- gcc -O2 -c", "the same"),
        ("nubbin reduce --run tool --prints bad FILE", "look for this message"),
        ("nubbin reduce ./test.sh FILE", "let a script decide"),
    ),
    no_args_is_help=True,
)

campaign_command = SectionCommand(
    late("nubbin.cli.work.on_inputs:campaign"),
    """Shrink one input for each failure of CMD.

    INPUT is a file, or a folder of files such as the crashes of a fuzzer. nubbin runs CMD once on
    each, and puts inputs with the same failure into a group: the same message, in the same
    function. It reduces the smallest input of each group, several groups at once.

    DIR gets a folder for each group, with the smallest input and a README.txt. The same command
    continues where an earlier one ended. --max-queries and --max-time are for each group.

    `nubbin log DIR` lists the runs of the groups, for `nubbin watch`, `show` and `report`. An input
    that takes longer than --timeout, by default 30 s here, is listed, and not reduced.
    """,
    click.Argument(["paths"], metavar="INPUT...", type=PATH, nargs=-1, required=True),
    SectionOption(
        "Test",
        "--run",
        "The command that fails on the inputs; {} is the path of one. The shell runs it. "
        "Without {}, the path comes last. The input is also the standard input of CMD.",
        metavar="CMD",
        required=True,
        daily=True,
    ),
    output_option("DIR", "Write the results to DIR. Default: NAME.reduced beside the inputs."),
    options_of(Group.CAMPAIGN),
    SectionOption("Report", "-q --quiet", "Print only errors, and the path of DIR."),
    json_option,
    forms=FORMS[1:],
    examples=(
        ("nubbin campaign --run './target {}' crashes/", "a folder of crashes"),
        (
            "nubbin campaign --run ./target --max-time 10m -o bugs crash-*",
            "ten minutes for each bug",
        ),
    ),
    epilog="""\b
Exit codes:
  0    there is a result for each failure
  1    a failure has no result, or there is no failure
  2    an error in the command line
  130  interrupted (Ctrl-C): the same command continues
""",
    no_args_is_help=True,
)

repro_command = SectionCommand(
    late("nubbin.cli.work.project:repro"),
    """Shrink the current project to a reproduction.

    CMD is a command and its arguments, or one word for the shell, that fails in the current folder.
    nubbin runs it in copies without .git, installed packages, caches and ignored files; your files
    are never changed. Without conditions, nubbin learns how CMD fails.

    nubbin traces one run, and first tries to remove all files that this run does not use.
    """,
    click.Argument(["command"], metavar="-- CMD...", nargs=-1),
    SectionOption(
        "Result",
        "--check",
        "Instead, run the reproduction in FOLDER in a new environment with its pinned packages.",
        type=PATH,
        metavar="FOLDER",
        daily=True,
    ),
    output_option(
        "DIR",
        "Write the reproduction to DIR, a new folder. Default: NAME-repro beside the project.",
    ),
    run_dir_option("here"),
    options_of(Group.REPRO),
    condition_options,
    display_options,
    examples=(
        ("nubbin repro -- python -m pytest tests/test_a.py::test_b", "one test of a project"),
        ("nubbin repro -- 'make && ./tool demo.txt'", "one word is for the shell"),
    ),
    no_args_is_help=True,
)

check_command = SectionCommand(
    late("nubbin.cli.work.on_inputs:check"),
    """Find mistakes in a test before a long run.

    TEST, INPUT and the options that replace TEST are as for `nubbin reduce`. Nothing is written.

    About twenty runs check how long a run takes, whether TEST gives the same answer each time and
    in parallel, whether it reads the candidate and not the original, whether it needs files or
    commands that are missing in its folder, and how much of INPUT can be removed.
    """,
    click.Argument(["paths"], metavar="TEST INPUT...", type=PATH, nargs=-1),
    test_options,
    options_of(Group.CHECK),
    condition_options,
    json_option,
    forms=FORMS,
    epilog="""\b
Exit codes:
  0    the test can be trusted
  1    the test cannot be trusted; the output explains why
  2    an error in the command line
""",
    examples=(
        ("nubbin check ./test.sh FILE", "a script"),
        ("nubbin check --run tool --prints bad FILE", "a command, and what counts"),
    ),
    no_args_is_help=True,
)

init_command = SectionCommand(
    late("nubbin.cli.work.on_inputs:init"),
    """Write a test script for a command that fails on INPUT.

    The command and the conditions are as for `nubbin reduce --run`. nubbin asks for missing ones in
    a terminal, or learns them from the failure. It prints the command line that reduces INPUT; with
    --output, it writes an equivalent script.
    """,
    click.Argument(["paths"], metavar="[INPUT]...", type=PATH, nargs=-1),
    SectionOption(
        "Test", "--run line", "The command that fails on INPUT.", daily=True, metavar="CMD"
    ),
    condition_options,
    output_option("FILE", "Write a Python script that you can edit and use as TEST."),
    SectionOption("Result", "-f --force", "Replace FILE if it exists.", daily=True),
    json_option,
)

pytest_command = SectionCommand(
    late("nubbin.cli.work.project:pytest"),
    """Find the tests that make another test fail.

    TEST is a test id of the pytest suite here. If TEST fails only after other tests, nubbin finds
    the smallest set of these that makes it fail. If TEST fails alone, nubbin finds the smallest set
    that makes it pass. It prints their ids to standard output, and last the command that shows it.

    Arguments of pytest come after --: folders to collect, -k, -m, --randomly-seed. Only the outcome
    of TEST counts, and nubbin collects only the files of the tests in question.
    """,
    click.Argument(["one"], metavar="TEST"),
    click.Argument(["arguments"], metavar="[-- PYTEST ARGUMENTS...]", nargs=-1),
    SectionOption(
        "Test",
        "--order",
        "An order of tests that makes TEST fail: test ids, or the output of pytest -v, "
        "including pytest-xdist; - is standard input. Default: the order of pytest's collection.",
        type=click.File("r", encoding="utf-8", errors="surrogateescape"),
        metavar="FILE",
    ),
    SectionOption(
        "Test",
        "--interpreter",
        "The Python of the suite. Default: the active virtual environment, .venv here or "
        "above, the Python of the pytest on the PATH, or nubbin's own.",
        metavar="PYTHON",
    ),
    run_dir_option("here"),
    prints_option,
    options_of(Group.SUSPECTS),
    display_options,
    examples=(
        ("nubbin pytest tests/test_a.py::test_b", "in the order of the suite"),
        (
            "nubbin pytest tests/test_a.py::test_b --order log",
            "in the order that pytest -v printed",
        ),
    ),
    no_args_is_help=True,
)

blame_command = SectionCommand(
    late("nubbin.cli.work.project:blame"),
    """Find the commit, and the lines, that make a command fail.

    CMD fails in the commit BAD, but not in GOOD. nubbin bisects the commits between them, then
    reduces the changes of the guilty commit: files, hunks, lines. It prints the smallest patch that
    makes CMD fail in the commit before.

    CMD is a command and its arguments, or one word for the shell. It runs in a temporary checkout;
    your repository and your checkout are never changed. Without conditions, nubbin learns how CMD
    fails. A commit where CMD fails in a different way, for example in the build, is skipped.
    """,
    click.Argument(["span"], metavar="GOOD..BAD"),
    click.Argument(["command"], metavar="-- CMD...", nargs=-1, required=True),
    options_of(Group.SUSPECTS),
    condition_options,
    display_options,
    examples=(
        ("nubbin blame v1.0..main -- python test.py", "a command and its arguments"),
        ("nubbin blame v1.0..main -- 'make -s && ./test'", "one word is for the shell"),
    ),
    no_args_is_help=True,
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
    late("nubbin.cli.work.recorded:resume"),
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

report_command = SectionCommand(
    late("nubbin.cli.work.recorded:report"),
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

verify_command = SectionCommand(
    late("nubbin.cli.work.recorded:verify"),
    """Repeat the proof of the result of RUN.

    nubbin runs the test on the result, and again with each single element removed. RUN is a folder,
    the name of one in .nubbin, or `last` (default). Exits with 1 if the result does not hold.
    """,
    run_argument,
    options_of(Group.TRUST),
    json_option,
)
