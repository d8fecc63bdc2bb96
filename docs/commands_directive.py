"""The directive `commands`: all commands and their options, as the command line declares them."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from command_help import CommandHelp, commands
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

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
    for each in commands():
        yield from section(each)


def section(command: CommandHelp) -> Iterator[str]:
    """Write how a command is called, what it does, and its options."""
    yield from (f"## {command.name}", "", f"    {command.name} {command.arguments}")
    yield from ("", markdown(command.text), "")
    if command.examples:
        column = max(len(line) for line, _ in command.examples)
        lines = [f"{line:{column}}  # {purpose}" for line, purpose in command.examples]
        yield from ("```sh", *lines, "```", "")
    yield from (f"```{{program}} {command.name}", "```", "")
    for title, options in command.options.items():
        yield from (f"### {title}", "")
        for option, text in options:
            yield from (f"```{{option}} {option}", "", markdown(text), "```", "")
    if command.table:
        title, *rows = command.table
        yield from (f"### {title.rstrip(':')}", "", "```none", *rows, "```", "")


def markdown(text: str) -> str:
    """Return a help text with all marks escaped but those of code in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else _MARK.sub(r"\\\g<0>", part) for part in parts)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Tell Sphinx of the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
