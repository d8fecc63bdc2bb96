"""How does a person call it? The command line.

Only click is imported before a command runs: help and usage errors are instant.
"""

from __future__ import annotations

import os
import platform
import shlex
from typing import Any

import click

from nubbin.cli.check_command import check_command
from nubbin.cli.completion import set_up as set_up_completion
from nubbin.cli.init_command import init_command
from nubbin.cli.project_commands import blame_command, pytest_command, repro_command
from nubbin.cli.recorded_commands import (
    history_command,
    report_command,
    restore_command,
    runs_command,
    verify_command,
)
from nubbin.cli.reduce_command import reduce_command
from nubbin.cli.resume_command import resume_command
from nubbin.cli.usage import CliError, what_is_lacking
from nubbin.cli.watch_command import watch_command
from nubbin.version import __version__

#: The package that holds the grammars; which texts nubbin can parse depends on its version.
_PACK = "tree-sitter-language-pack"


class _InOrder(click.Group):
    """Commands in the order in which a person meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the system lacks for it is told in a sentence."""
        try:
            return super().invoke(ctx)
        except (OSError, MemoryError) as error:
            if why := what_is_lacking(error):
                raise CliError(why) from error
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that words name; a usage error says what a file may be meant for."""
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
    from importlib.metadata import version  # noqa: PLC0415 - here, so that help need not wait for it

    python = platform.python_version()
    click.echo(f"nubbin {__version__} ({_PACK} {version(_PACK)}, Python {python})")
    ctx.exit()


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Show the version, that of the grammars' pack and of Python, and exit.",
)
def main() -> None:
    """Find the smallest input that still makes your program misbehave."""
    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        raise CliError(
            "The folder that you are in is gone, so no path means anything. Change to one that is "
            "there, by cd."
        ) from None


set_up_completion()
main.add_command(reduce_command, "reduce")
main.add_command(init_command, "init")
main.add_command(check_command, "check")
main.add_command(repro_command, "repro")
main.add_command(pytest_command, "pytest")
main.add_command(blame_command, "blame")
main.add_command(resume_command, "resume")
main.add_command(watch_command, "watch")
main.add_command(runs_command, "runs")
main.add_command(history_command, "history")
main.add_command(restore_command, "restore")
main.add_command(report_command, "report")
main.add_command(verify_command, "verify")
