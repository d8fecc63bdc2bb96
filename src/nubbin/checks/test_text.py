"""The text of a test, of its script or its command lines, and whether it names the original."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.oracles.user_test import UserTest

_MAX_BYTES = 1 << 20

# Words of a script that may be paths; what is in quotes may have blanks in it.
_QUOTED_WORD = re.compile(r"""[^\s"'`=;|&<>()]+|"[^"\n]*"|'[^'\n]*'""")
_CHANGES_FOLDER = re.compile(r"\b(?:cd|pushd|chdir)\b")
# How scripts say in which folder they are themselves.
_OWN_FOLDER = re.compile(r"dirname|%/\*|BASH_SOURCE|__file__|__dir__|__DIR__|FindBin")


def scripts(test: UserTest) -> dict[str, str]:
    """Return the text of each script that a test consists of, by its path; none of a program."""
    texts = {}
    for word in test.words:
        path = Path(test.folder, word)
        with suppress(OSError):
            if path.is_file() and path.stat().st_size <= _MAX_BYTES:
                data = path.read_bytes()
                if b"\0" not in data:
                    texts[word] = os.fsdecode(data)
    return texts


def text_of(test: UserTest) -> str:
    """Return all that a person wrote of a test: command lines, and scripts."""
    return "\n".join((test.in_full, *scripts(test).values()))


def original_path(case: Case) -> Iterator[Finding]:
    """Find the line of a script that names the original, or goes to its folder; costs no run."""
    name = case.document.title
    for script, text in scripts(case.test).items():
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("#"):
                continue
            if what := _looks_away(line, script, case):
                yield Finding(
                    "original-path",
                    "problem",
                    f"{script} finds even an empty {name} interesting because it does not look at "
                    f"the candidate: its line {number} {what}. The candidate is "
                    f"{case.document.name} in the folder that the test is started in, and the "
                    f"last argument. Let it look at that.\n\n    {number}: {line.strip()}",
                )
                return


def _looks_away(line: str, script: str, case: Case) -> str:
    """Return how a line leads to the original, as the rest of a sentence about it; else ""."""
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
    """Return what a word names if that is an absolute path."""
    path = os.path.expandvars(os.path.expanduser(word.strip("\"'")))  # noqa: PTH111
    return os.path.realpath(path) if path.startswith("/") else None
