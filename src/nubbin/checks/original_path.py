"""Find the path of the original in a test, which should look at the candidate."""

from __future__ import annotations

import os
from pathlib import Path

from nubbin.checks.case import Case, Finding
from nubbin.pattern import pattern

# Words of a script that may be paths; those in quotes may contain blanks.
_QUOTED_WORD = pattern(r"""[^\s"'`=;|&<>()]+|"[^"\n]*"|'[^'\n]*'""")
_CHANGES_FOLDER = pattern(r"\b(?:cd|pushd|chdir)\b")
# The ways in which scripts find their own folder.
_OWN_FOLDER = pattern(r"dirname|%/\*|BASH_SOURCE|__file__|__dir__|__DIR__|FindBin")


def original_path(case: Case) -> Finding | None:
    """Find the line of a script that names the original, or enters its folder; costs no run."""
    for script, number, line in case.test.script_lines():
        if what := _looks_away(line, script, case):
            return Finding(
                "problem",
                f"{script} accepts even an empty {case.document.title} because it does not "
                f"look at the candidate: its line {number} {what}. The candidate is "
                f"{case.document.name} in the folder that the test is started in, and the last "
                f"argument. Let it look at that.\n\n    {number}: {line.strip()}",
            )
    return None


def _looks_away(line: str, script: str, case: Case) -> str:
    """Return how a line leads to the original, as the end of a sentence about it; "" if not."""
    source = os.path.realpath(case.root / case.document.name)
    root = os.path.realpath(case.root)
    changes = _CHANGES_FOLDER.search(line)
    for word in _QUOTED_WORD.findall(line):
        path = _path(word)
        if path is not None and (path == source or path.startswith(f"{source}/")):
            return f"names the original, {path}"
        if path == root and changes:
            return f"goes to the folder of the original, {path}"
    beside = os.path.realpath(Path(script).parent) == root
    if beside and _OWN_FOLDER.search(line) and (changes or case.document.name in line):
        return f"goes to its own folder, where the original is, {root}"
    return ""


def _path(word: str) -> str | None:
    """Return the absolute path that a word names, without links; None for any other word."""
    path = os.path.expandvars(os.path.expanduser(word.strip("\"'")))  # noqa: PTH111
    return os.path.realpath(path) if path.startswith("/") else None
