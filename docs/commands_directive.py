"""The directive `commands`: all commands and their options, as the command line declares them."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from inspect import cleandoc

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from nubbin.cli import main
from nubbin.cli.options import SectionCommand

_MARK = re.compile(f"[{re.escape(string.punctuation)}]")


class Commands(SphinxDirective):
    """Stands for a section per command; its content is for readers of the page's source."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the sections, made again for every site: they depend on more than the page."""
        self.env.note_reread()
        return self.parse_text_to_nodes("\n".join(reference()), allow_section_headings=True)


def reference() -> Iterator[str]:
    """Write a section per command, in Markdown."""
    for name, command in main.commands.items():
        yield from section(f"nubbin {name}", command)


def section(name: str, command: click.Command) -> Iterator[str]:
    """Write how a command is called, what it does, and its options."""
    parent = click.Context(main, info_name="nubbin", **main.context_settings)
    context = click.Context(command, parent, name)
    yield from (f"## {name}", "", f"    {name} {' '.join(command.collect_usage_pieces(context))}")
    yield from ("", markdown(cleandoc(command.help or "")), "", f"```{{program}} {name}", "```", "")
    for title, records in sections(command, context).items():
        yield from (f"### {title}", "")
        for option, text in records:
            yield from (f"```{{option}} {option}", "", markdown(text), "```", "")
    if command.epilog:
        title, *rows = command.epilog.removeprefix("\b\n").splitlines()
        yield from (f"### {title.rstrip(':')}", "", "```none", *rows, "```", "")


def sections(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the names and the help of a command's options, by their heading in the help."""
    if isinstance(command, SectionCommand):
        found = command.sections(context)
    else:
        records = [each.get_help_record(context) for each in command.get_params(context)]
        found = {"Options": [each for each in records if each]}
    return {
        title: kept
        for title, records in found.items()
        if (kept := [each for each in records if "--help" not in each[0]])
    }


def markdown(text: str) -> str:
    """Return a help text with all marks escaped but those of code in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else _MARK.sub(r"\\\g<0>", part) for part in parts)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Tell Sphinx of the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
