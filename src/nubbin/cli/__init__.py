"""How does a person call it? The command line.

Only click is imported before a command runs: help and usage errors are instant.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
from typing import Any

import click

from nubbin.cli.check_command import check_command
from nubbin.cli.completion import set_up as set_up_completion
from nubbin.cli.init_command import init_command
from nubbin.cli.parameters import write_examples
from nubbin.cli.project_commands import blame_command, pytest_command, repro_command
from nubbin.cli.recorded_commands import (
    log_command,
    report_command,
    show_command,
    verify_command,
)
from nubbin.cli.reduce_command import reduce_command
from nubbin.cli.resume_command import resume_command
from nubbin.cli.usage import CliError, current, what_is_lacking
from nubbin.cli.watch_command import watch_command
from nubbin_core.version import __version__

#: The commands by heading, in the order in which a person meets them.
_GROUPS: dict[str, dict[str, click.Command]] = {
    "Reduce": {
        "reduce": reduce_command,
        "repro": repro_command,
        "check": check_command,
        "init": init_command,
    },
    "Find the cause": {"pytest": pytest_command, "blame": blame_command},
    "Work with runs": {
        "watch": watch_command,
        "resume": resume_command,
        "log": log_command,
        "show": show_command,
        "report": report_command,
        "verify": verify_command,
    },
}
_EXAMPLES = (
    ("nubbin reduce --run 'gcc -O2 -c' a.c", "shrink a.c; learn how gcc fails"),
    ("nubbin reduce ./test.sh a.c", "shrink a.c; let a script decide"),
    ("nubbin repro -- pytest tests/test_a.py", "shrink a whole project"),
)


class _Grouped(click.Group):
    """Commands by heading, on one screen of 24 lines."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the commands."""
        formatter.write(f"{self.help}\nUsage: nubbin COMMAND [OPTIONS] ...\n\n")
        write_examples(formatter, _EXAMPLES)
        formatter.write_paragraph()
        for title, commands in _GROUPS.items():
            formatter.write(f"{title}:\n")
            for name, command in commands.items():
                formatter.write(f"  {name:8}  {command.get_short_help_str(formatter.width)}\n")
        formatter.write("\n'nubbin COMMAND --help' explains one command; -V prints the version.\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; explain an error of the system in a sentence."""
        try:
            return super().invoke(ctx)
        except (OSError, MemoryError) as error:
            if why := what_is_lacking(error):
                raise CliError(why) from error
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that words name; a usage error explains a file in its place."""
        command, *rest = current(args[0])
        args = [command, *(args[1:] or rest)]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not os.path.lexists(args[0]):  # a word may be too long for a path
                raise
            raise click.UsageError(
                f"{error.message} If it is a test: nubbin reduce {shlex.join(args)}", ctx
            ) from None


def _print_versions(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """If `--version` is given, print the versions that a report of a bug needs, and exit."""
    if not asked or ctx.resilient_parsing:
        return
    click.echo(f"nubbin {__version__} (Python {platform.python_version()})")
    click.echo("grammars: " + ", ".join(map(" ".join, _grammar_versions().items())))
    ctx.exit()


def _grammar_versions() -> dict[str, str]:
    """Return the version of each package of grammars that nubbin requires, or offers, and has."""
    from importlib.metadata import PackageNotFoundError, requires, version  # noqa: PLC0415 - slow

    found = dict[str, str]()
    for line in requires("nubbin") or ():
        if package := re.match(r"tree-sitter-([a-z-]*[a-z])", line):
            try:
                found[package[1]] = version(package[0])
            except PackageNotFoundError:  # an extra that is not installed
                continue
    return found


@click.group(
    cls=_Grouped,
    commands={name: each for group in _GROUPS.values() for name, each in group.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Print the versions of nubbin, its grammars and Python.",
)
def main() -> None:
    """Make a failing input as small as possible."""
    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        raise CliError(
            "The current folder no longer exists. Change to another one with cd, and try again."
        ) from None


set_up_completion()
