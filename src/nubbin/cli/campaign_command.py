"""`nubbin campaign`, declared; `work/many_inputs.py` does the work."""

from __future__ import annotations

from typing import Any

import click

from nubbin.cli.parameters import SectionCommand, json_option, option, options_of, output_option
from nubbin.cli.units import PATH
from nubbin.reduction.option import Group
from nubbin_core.late import named

_EXAMPLES = (
    ("nubbin campaign --run './target {}' crashes/", "a folder of crashes"),
    ("nubbin campaign --run ./target --max-time 10m -o bugs crash-*", "ten minutes for each bug"),
)
_EPILOG = """\b
Exit codes:
  0    there is a result for each failure
  1    a failure has no result, or there is no failure
  2    an error in the command line
  130  interrupted (Ctrl-C): the same command continues
"""


@click.command(cls=SectionCommand, examples=_EXAMPLES, epilog=_EPILOG, no_args_is_help=True)
@click.argument("paths", metavar="INPUT...", type=PATH, nargs=-1, required=True)
@option(
    "Test",
    "--run",
    metavar="CMD",
    required=True,
    daily=True,
    help="The command that fails on the inputs; {} is the path of one. The shell runs it. Without "
    "{}, the path comes last. The input is also the standard input of CMD.",
)
@output_option("DIR", "Write the results to DIR. Default: NAME.reduced beside the inputs.")
@options_of(Group.CAMPAIGN)
@option("Report", "-q", "--quiet", is_flag=True, help="Print only errors, and the path of DIR.")
@json_option
def campaign_command(**given: Any) -> None:
    """Shrink one input for each way in which CMD fails.

    INPUT is a file, or a folder of files such as the crashes of a fuzzer. nubbin runs CMD once on
    each, and puts inputs with the same failure into a group: the same message, in the same
    function. It reduces the smallest input of each group, several groups at once.

    DIR gets a folder for each group, with the smallest input and a README.txt. The same command
    continues where an earlier one ended. --max-queries and --max-time are for each group.

    `nubbin log DIR` lists the runs of the groups, for `nubbin watch`, `show` and `report`. An input
    that takes longer than --timeout, by default 30 s here, is listed, and not reduced.
    """
    named("nubbin.cli.work.many_inputs:sort_and_reduce")(**given)
