"""What the command line says of its commands, in parts, for the site and the man page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc

import click

from nubbin.cli import main
from nubbin.cli.section_command import SectionCommand


@dataclass(frozen=True)
class CommandHelp:
    """The help of a command."""

    name: str
    arguments: str
    #: Paragraphs.
    text: str
    #: Command lines, and what they are for.
    examples: tuple[tuple[str, str], ...]
    #: Names and help of the options but --help, by their heading.
    options: dict[str, list[tuple[str, str]]]
    #: Lines of a table, of which the first is its heading; or empty.
    table: tuple[str, ...]


def commands() -> Iterator[CommandHelp]:
    """Return the help of every command, in order."""
    for name, command in main.commands.items():
        yield command_help(f"nubbin {name}", command)


def command_help(name: str, command: click.Command) -> CommandHelp:
    """Return the help of a command."""
    parent = click.Context(main, info_name="nubbin", **main.context_settings)
    context = click.Context(command, parent, name)
    return CommandHelp(
        name,
        " ".join(command.collect_usage_pieces(context)),
        cleandoc(command.help or ""),
        tuple(getattr(command, "examples", ())),
        _options(command, context),
        tuple((command.epilog or "").removeprefix("\b\n").splitlines()),
    )


def _options(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    if isinstance(command, SectionCommand):
        found = command.sections(context)
    else:
        options = [each for each in command.params if isinstance(each, click.Option)]
        records = [each.get_help_record(context) for each in options]
        found = {"Options": [each for each in records if each]}
    found.pop("Help", None)
    return {title: records for title, records in found.items() if records}
