"""`nubbin check`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin.cli.parameters import SectionCommand, json_option, options_of
from nubbin.cli.signals import INTERRUPTED, ending_gently
from nubbin.cli.units import PATH
from nubbin.cli.which_test import FORMS, GivenTest, condition_options, test_options
from nubbin.reduction.option import Group
from nubbin_core.errors import NubbinError, OptionError
from nubbin_core.late import late

if TYPE_CHECKING:
    from nubbin.checks.case import Finding
    from nubbin.oracles.user_test import UserTest

_finding = late("nubbin.checks.case:Finding")
_check = late("nubbin.reduction.start.check:check")
_lines = late("nubbin.report.json_lines:lines")
_status = late("nubbin.report.findings:CheckStatus")
_EPILOG = """\b
Exit codes:
  0    the test can be trusted
  1    the test cannot be trusted; the output explains why
  2    an error in the command line
"""


_EXAMPLES = (
    ("nubbin check ./test.sh FILE", "a script"),
    ("nubbin check --run tool --prints bad FILE", "a command, and what counts"),
)


@click.command(
    cls=SectionCommand,
    forms=FORMS,
    epilog=_EPILOG,
    examples=_EXAMPLES,
    no_args_is_help=True,
)
@click.argument("paths", metavar="TEST INPUT...", type=PATH, nargs=-1)
@test_options
@options_of(Group.CHECK)
@condition_options
@json_option
def check_command(
    *,
    paths: tuple[Path, ...],
    given: GivenTest,
    conditions: dict[str, Any],
    json: bool,
    **options: Any,
) -> None:
    """Find mistakes in a test before a long run.

    TEST, INPUT and the options that replace TEST are as for `nubbin reduce`. Nothing is written.

    About twenty runs check how long a run takes, whether TEST gives the same answer each time and
    in parallel, whether it reads the candidate and not the original, whether it needs files or
    commands that are missing in its folder, and how much of INPUT can be removed.
    """
    test, sources = given.of(paths, conditions, options)
    try:
        with ending_gently():
            sys.exit(_run(test, sources, {**options, "name": given.name}, as_json=json))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _run(
    test: Callable[[], UserTest], sources: Sequence[Path], options: dict[str, Any], *, as_json: bool
) -> int:
    """Print each finding as soon as it is known, and return the exit code."""
    found: list[Finding] = []

    def all_findings() -> Generator[Finding, None, None]:
        try:
            yield from _check(test(), sources, observers=[status], **options)
        except OptionError as error:
            raise click.UsageError(str(error)) from None
        except NubbinError as error:
            yield _finding("start", "problem", str(error))

    with _status(quiet=as_json) as status, closing(all_findings()) as each:
        for finding in each:
            found.append(finding)
            status.show(finding)
        status.conclude(found)
    if as_json:
        click.echo(_lines("finding", found), nl=False)
    return int(any(finding.level == "problem" for finding in found))
