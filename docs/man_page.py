"""The man page, made of the help of the command line; the build puts it into the wheel.

Sphinx could make it too, but each build of nubbin would have to install all that Sphinx needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from command_help import CommandHelp, commands

from nubbin.cli import main
from nubbin_core.version import __version__


def man_page() -> str:
    """Return the page, in the macros of man(7)."""
    return "\n".join([*_head(), *(line for each in commands() for line in _section(each)), ""])


def _head() -> Iterator[str]:
    text = roff(main.help or "")
    yield f'.TH NUBBIN 1 "" "nubbin {__version__}"'
    yield from (".SH NAME", f"nubbin \\- {text[0].lower()}{text[1:].rstrip('.')}")
    yield ".SH SYNOPSIS"
    for each in commands():
        yield from (f"\\fB{roff(each.name)}\\fR {roff(each.arguments)}", ".br")


def _section(command: CommandHelp) -> Iterator[str]:
    yield f".SH {roff(command.name).upper()}"
    for paragraph in command.text.split("\n\n"):
        yield from (".PP", roff(paragraph))
    for title, options in command.options.items():
        yield f".SS {roff(title)}"
        for option, text in options:
            yield from (".TP", f"\\fB{roff(option)}\\fR", roff(text))
    if command.table:
        title, *rows = command.table
        yield from (f".SS {roff(title.rstrip(':'))}", ".nf", *map(roff, rows), ".fi")


def roff(text: str) -> str:
    """Return a text so that it is shown as it is, with what is in backticks in bold."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", re.sub(r"(?m)^(?=\.)", r"\\&", plain))
