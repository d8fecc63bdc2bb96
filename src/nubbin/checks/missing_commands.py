"""Does the test call commands that are not there?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.oracles.output import quoted

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


def missing_commands(case: Case) -> Iterator[Finding]:
    """Find a command that the last run on the input says is not found; costs no run."""
    output = case.answer.output
    for found in _NOT_FOUND.finditer(os.fsdecode(output)):
        name = found["name"] or found["zsh"] or found["started"]
        if "/" in name and not name.startswith("/"):
            continue  # a file of the user's folder
        is_script = found["line"] is not None and case.test.kind == "command"
        where = f" in line {found['line']}" if is_script else ""
        yield Finding(
            "missing-commands",
            "problem",
            f"{case.test} runs the command {name}{where}, which is not found. Install it, or give "
            "its absolute path if it is not in a folder of the PATH." + quoted(output),
        )
        return
