"""`nubbin repro`, `pytest` and `blame`, declared; `work/project.py` does the work."""

from __future__ import annotations

import click

from nubbin.cli.display import display_options
from nubbin.cli.parameters import PATH, SectionOption, options_of, output_option, run_dir_option
from nubbin.cli.section_command import SectionCommand
from nubbin.cli.which_test import condition_options, prints_option
from nubbin.option import Group
from nubbin_core.late import late

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
