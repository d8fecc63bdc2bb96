"""The commands on inputs, declared; `work/run.py` and `work/on_inputs.py` do the work."""

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
from nubbin.cli.which_test import FORMS, condition_options, test_options
from nubbin.option import Group
from nubbin_core.late import late

reduce_command = SectionCommand(
    late("nubbin.cli.work.run:reduce_inputs"),
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
    late("nubbin.cli.work.on_inputs:sort_and_reduce"),
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


check_command = SectionCommand(
    late("nubbin.cli.work.on_inputs:show_findings"),
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
