"""Does the test call commands that are not there, or may not be executed?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.oracles.output import quoted
from nubbin.oracles.shell_words import quoted_word

# dash and busybox; bash; zsh; and programs that start others.
_NOT_FOUND = re.compile(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s
      (?P<name> [^\s:]+ ) : \s (?: command \s )? not \s found $
    | ^ .*? command \s not \s found: \s (?P<zsh> \S+ ) $
    | ^ .*? \b (?: (?: env | nohup | nice | xargs ) : | failed \s to \s run \s command ) \s
      [‘'"]? (?P<started> [^\s:’'"]+ ) [’'"]? : \s No \s such \s file \s or \s directory $
    """,
    re.VERBOSE | re.MULTILINE,
)
# The same of a file that may not be executed; a shell may say so of what it cannot read or write.
_DENIED = re.compile(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s (?P<name> / [^:\n]+ ) : \s Permission \s denied $
    | ^ .*? permission \s denied: \s (?P<zsh> / .+ ) $
    | ^ .*? \b (?: env | nohup | nice | xargs ) : \s
      [‘'"]? (?P<started> / [^:’'"\n]+ ) [’'"]? : \s Permission \s denied $
    """,
    re.VERBOSE | re.MULTILINE,
)


def missing_commands(case: Case) -> Iterator[Finding]:
    """Find a command that the last run on the input says cannot be run; costs no run."""
    output = case.answer.output
    for found in _NOT_FOUND.finditer(os.fsdecode(output)):
        name = _name(found)
        if "/" in name and not name.startswith("/"):
            continue  # a file of the user's folder
        yield _finding(
            case,
            found,
            "is not found. Install it, or give its absolute path if it is not in a folder of the "
            "PATH.",
        )
        return
    for found in _DENIED.finditer(os.fsdecode(output)):
        name = _name(found)
        if Path(name).is_file() and not os.access(name, os.X_OK):
            word = quoted_word(name)
            yield _finding(
                case,
                found,
                f"may not be executed. Make it executable, by chmod +x {word}, or give the command "
                f"with the program that runs it, as python3 {word}.",
            )
            return


def _name(found: re.Match[str]) -> str:
    return found["name"] or found["zsh"] or found["started"]


def _finding(case: Case, found: re.Match[str], what: str) -> Finding:
    is_script = found["line"] is not None and case.test.kind == "command"
    where = f" in line {found['line']}" if is_script else ""
    text = f"{case.test} runs the command {_name(found)}{where}, which {what}"
    return Finding("missing-commands", "problem", text + quoted(case.answer.output))
