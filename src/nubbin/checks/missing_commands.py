"""Find commands that a test could not run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nubbin.checks.case import Case, Finding
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.output import quoted_output
from nubbin.pattern import pattern

# Messages of dash and busybox; bash; zsh; and programs that start others.
_NOT_FOUND = pattern(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s
      (?P<name> [^\s:]+ ) : \s (?: command \s )? not \s found $
    | ^ .*? command \s not \s found: \s (?P<zsh> \S+ ) $
    | ^ .*? \b (?: (?: env | nohup | nice | xargs ) : | failed \s to \s run \s command ) \s
      [‘'"]? (?P<started> [^\s:’'"]+ ) [’'"]? : \s No \s such \s file \s or \s directory $
    """,
    re.VERBOSE | re.MULTILINE,
)
# The same for files that are not executable. A shell also prints this if it cannot read or write.
_DENIED = pattern(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s (?P<name> / [^:\n]+ ) : \s Permission \s denied $
    | ^ .*? permission \s denied: \s (?P<zsh> / .+ ) $
    | ^ .*? \b (?: env | nohup | nice | xargs ) : \s
      [‘'"]? (?P<started> / [^:’'"\n]+ ) [’'"]? : \s Permission \s denied $
    """,
    re.VERBOSE | re.MULTILINE,
)


def missing_commands(case: Case) -> Finding | None:
    """Find a command that could not be run in the last run on the input; costs no run."""
    for found, what in _not_run(os.fsdecode(case.answer.output)):
        is_script = found["line"] is not None and isinstance(case.test, CommandTest)
        where = f" in line {found['line']}" if is_script else ""
        text = f"{case.test} runs the command {_name(found)}{where}, which {what}"
        return Finding("problem", text + quoted_output(case.answer.output))
    return None


def _not_run(output: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the messages about commands that could not be run, with the end of a sentence."""
    for found in _NOT_FOUND.finditer(output):
        name = _name(found)
        if "/" not in name or name.startswith("/"):  # others are files of the user's folder
            yield (
                found,
                "is not found. Install it, or give its absolute path if it is not in a folder of "
                "the PATH.",
            )
    for found in _DENIED.finditer(output):
        name = _name(found)
        if Path(name).is_file() and not os.access(name, os.X_OK):
            yield (
                found,
                f"may not be executed. Make it executable, by chmod +x {quoted_word(name)}, or put "
                "the program that runs it before it.",
            )


def _name(found: re.Match[str]) -> str:
    return found["name"] or found["zsh"] or found["started"]
