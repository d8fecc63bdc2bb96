"""Read the text of a test, its scripts and command lines, and find the original's path in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from nubbin.checks.case import Case, Finding
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern

_MAX_BYTES = 1 << 20

# Words of a script that may be paths; those in quotes may contain blanks.
_QUOTED_WORD = pattern(r"""[^\s"'`=;|&<>()]+|"[^"\n]*"|'[^'\n]*'""")
_CHANGES_FOLDER = pattern(r"\b(?:cd|pushd|chdir)\b")
# The ways in which scripts find their own folder.
_OWN_FOLDER = pattern(r"dirname|%/\*|BASH_SOURCE|__file__|__dir__|__DIR__|FindBin")


def scripts(test: UserTest) -> dict[str, str]:
    """Return the text of each script in a test, by its path; binary files are left out."""
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
    """Return everything that a person wrote of a test: command lines, and scripts."""
    return "\n".join((test.in_full, *scripts(test).values()))


def numbered(test: UserTest) -> Iterator[tuple[str, int, str]]:
    """Yield each line of the scripts in a test: the path, the number, the text. No comments."""
    for script, text in scripts(test).items():
        for number, line in enumerate(text.splitlines(), 1):
            if not line.lstrip().startswith("#"):
                yield script, number, line


def original_path(case: Case) -> Iterator[Finding]:
    """Find the line of a script that names the original, or enters its folder; costs no run."""
    name = case.document.title
    for script, number, line in numbered(case.test):
        if what := _looks_away(line, script, case):
            yield Finding(
                "original-path",
                "problem",
                f"{script} finds even an empty {name} interesting because it does not look at "
                f"the candidate: its line {number} {what}. The candidate is {case.document.name} "
                "in the folder that the test is started in, and the last argument. Let it look "
                f"at that.\n\n    {number}: {line.strip()}",
            )
            return


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
