"""The command line.

Only click and the declarations are imported before a command runs, so help and usage errors are
instant.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import click

from nubbin.cli import commands
from nubbin.cli.section_command import printing_flag, write_examples
from nubbin.cli.usage import JSON, CliError, Interrupted, hint, show_error, what_is_lacking
from nubbin_core.errors import NubbinError
from nubbin_core.late import offered
from nubbin_core.version import __version__

#: The commands by heading, in the order of the help.
_HEADINGS = {
    "Reduce": ("reduce", "campaign", "repro", "check", "init"),
    "Find the cause": ("pytest", "blame"),
    "Work with runs": ("watch", "resume", "log", "show", "report", "verify"),
}
#: The group of entry points by which installed packages offer commands.
_ENTRY_POINT = "nubbin.commands"
_EXAMPLES = (
    ("nubbin reduce --run 'gcc -O2 -c' a.c", "shrink a.c; learn how gcc fails"),
    ("nubbin reduce ./test.sh a.c", "shrink a.c; let a script decide"),
    ("nubbin repro -- pytest tests/test_a.py", "shrink a whole project"),
)


class _Grouped(click.Group):
    """Lists commands by heading, on one screen of 24 lines."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return nubbin's command of a name, or else that of an installed package; None if none."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        return next((each.load() for each in offered(_ENTRY_POINT).select(name=cmd_name)), None)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the commands."""
        formatter.write(f"{self.help}\nUsage: nubbin COMMAND [OPTIONS] ...\n\n")
        write_examples(formatter, _EXAMPLES)
        formatter.write("\n")
        for title, names in _HEADINGS.items():
            formatter.write(f"{title}:\n")
            for name in names:
                command = self.commands[name]
                formatter.write(f"  {name:8}  {command.get_short_help_str(formatter.width)}\n")
        formatter.write("'nubbin COMMAND --help' explains one command; --skill is for agents.\n")

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run a command, show any error in the way that the user asked for, and exit."""
        words = sys.argv[1:] if args is None else list(args)
        try:
            code = super().main(words, *rest, **{**extra, "standalone_mode": False})
        except click.ClickException as error:
            options = words[: words.index("--")] if "--" in words else words
            show_error(error, as_json=JSON in options)
            code = error.exit_code
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn each error that a user can correct into one of the command line."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            raise hint(error, error.option_name) from None
        except NubbinError as error:
            raise CliError(str(error)) from None
        except (OSError, MemoryError) as error:
            if why := what_is_lacking(error):
                raise CliError(why) from error
            raise
        except (KeyboardInterrupt, EOFError, click.Abort):
            raise Interrupted("") from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named command; if a file has the name, the usage error suggests `reduce`."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not os.path.lexists(args[0]):  # unlike Path.exists, accepts a word of any length
                raise hint(error, args[0]) from None
            is_test = Path(args[0]).is_file() and os.access(args[0], os.X_OK)
            line = f"nubbin reduce {'' if is_test else '--run CMD '}{shlex.join(args)}"
            raise click.UsageError(f"{error.message} To reduce, type: {line}", ctx) from None


def _versions(_: click.Context) -> str:
    grammars = ", ".join(map(" ".join, _grammar_versions().items()))
    return f"nubbin {__version__} (Python {sys.version.split()[0]})\ngrammars: {grammars}"


def _skill(_: click.Context) -> str:
    return Path(__file__).parents[1].joinpath("SKILL.md").read_text().rstrip("\n")


def _grammar_versions() -> dict[str, str]:
    """Return the version of each installed package of grammars.

    Reads the names of the folders with metadata, because `importlib.metadata` takes longer than the
    rest of `nubbin --version`.
    """
    found = dict[str, str]()
    for folder in map(Path, sys.path):
        for place in folder.glob("tree_sitter_*.dist-info"):
            if of_grammar := re.match(r"tree_sitter_(\w+)-(.+)\.dist-info", place.name):
                found.setdefault(of_grammar[1].replace("_", "-"), of_grammar[2])
    return dict(sorted(found.items()))


@click.group(
    cls=_Grouped,
    commands={name: getattr(commands, f"{name}_command") for name in chain(*_HEADINGS.values())},
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        printing_flag(
            "-V",
            "--version",
            text=_versions,
            help="Print the versions of nubbin, its grammars and Python.",
        ),
        printing_flag(
            "--skill",
            text=_skill,
            help="Print SKILL.md, which tells a coding agent when and how to use nubbin.",
        ),
    ],
)
def main() -> None:
    """Make a failing input as small as possible."""
    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        raise CliError(
            "The current folder no longer exists. Change to another one with cd, and try again."
        ) from None


if "_NUBBIN_COMPLETE" in os.environ:  # set by click; importing its module takes long
    from nubbin.cli.completion import register_completions

    register_completions()
