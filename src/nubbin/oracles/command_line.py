"""A command line that a user gives, and the place in it where the path of the candidate stands."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nubbin.oracles.runner import Candidate

#: The path of the candidate stands in the place of this.
PLACE: Final = "{}"

# What the shell takes as it is, between blanks, marks and quotes.
_WORD = re.compile(r"[\w.,/@%+:~-]+")


def placed(line: str, folder: Path, source: Path | None = None) -> str:
    """Return a command line that can run in another folder than the user's, on any candidate.

    The name of the input, `source`, becomes the place of the candidate, which is at the end if it
    is nowhere. A relative path to a file that is there, `./tool` or `check.py`, becomes absolute.
    A bare word stays as it is: it may be no file's name, whatever files there are.
    """

    def anchored(word: re.Match[str]) -> str:
        text = word[0]
        path = os.path.normpath(Path(folder, text))
        if source is not None and (
            path == os.path.normpath(Path(folder, source))
            or (text == source.name and not Path(path).exists())
        ):
            return PLACE
        is_path = "/" in text or "." in text.strip(".")
        return path if is_path and Path(path).is_file() and _WORD.fullmatch(path) else text

    anchored_line = _WORD.sub(anchored, line)
    return anchored_line if PLACE in anchored_line else f"{anchored_line} {PLACE}"


def with_candidate(line: str, candidate: Candidate) -> str:
    """Return a command line with the path of a candidate in its place, quoted for the shell.

    The path begins in the folder of the query, where the line runs.
    """
    path = os.path.relpath(candidate.path, candidate.folder)
    return line.replace(PLACE, shlex.quote(f"./{path}" if path.startswith("-") else path))


def words(line: str) -> Iterator[str]:
    """Yield what may be paths in a command line."""
    yield from _WORD.findall(line)
