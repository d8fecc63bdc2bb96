"""Find out which files of a folder `.gitignore` names."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nubbin.documents.reading.wildmatch import MatchesNothing, compiled

_NAME = ".gitignore"
_MAX_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line of a `.gitignore`."""

    pattern: re.Pattern[bytes]
    is_negated: bool
    is_for_folders: bool
    is_for_names: bool  # of whatever folder below

    @classmethod
    def of(cls, line: bytes) -> Self:
        """Read a line; raises MatchesNothing."""
        is_negated = line.startswith(b"!")
        line = line[is_negated:]
        is_for_folders = line.endswith(b"/")
        line = line[: len(line) - is_for_folders]
        is_for_names = b"/" not in line
        return cls(compiled(line.removeprefix(b"/")), is_negated, is_for_folders, is_for_names)

    def matches(self, path: bytes, *, is_folder: bool) -> bool:
        if self.is_for_folders and not is_folder:
            return False
        return bool(self.pattern.fullmatch(path.rpartition(b"/")[2] if self.is_for_names else path))


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules for the paths in a folder, from its `.gitignore` and those of the folders above.

    As in git, the last of several patterns decides, and the deepest of several files. This only
    reads files and runs no program, because the settings of a repository can name programs. So it
    does not know ignored files that git tracks anyway.
    """

    above: Ignored | None
    folder: str
    rules: tuple[_Rule, ...]  # the last one first

    @classmethod
    def below(cls, above: Ignored | None, folder: str) -> Ignored | None:
        """Return the rules for a folder, given those above it; None if there are none."""
        rules = tuple(_rules(Path(folder, _NAME)))
        return cls(above, folder, rules[::-1]) if rules else above

    def names(self, path: str, *, is_folder: bool) -> bool:
        """Tell whether a path below the folder is named."""
        here: Ignored | None = self
        while here is not None:
            relative = os.fsencode(path.removeprefix(f"{here.folder}/"))
            for rule in here.rules:
                if rule.matches(relative, is_folder=is_folder):
                    return not rule.is_negated
            here = here.above
        return False


def _rules(file: Path) -> Iterator[_Rule]:
    """Yield the rules of a file; none if it is a link, as for git."""
    with suppress(OSError):
        if file.is_symlink() or not file.is_file():
            return
        with file.open("rb") as opened:
            text = opened.read(_MAX_BYTES).removeprefix(codecs.BOM_UTF8)
        for line in text.split(b"\n"):
            pattern = _without_blank_end(line.removesuffix(b"\r").partition(b"\0")[0])
            if pattern and not pattern.startswith(b"#"):
                with suppress(MatchesNothing):
                    yield _Rule.of(pattern)


def _without_blank_end(line: bytes) -> bytes:
    """Return a line without the blanks at its end that are not escaped."""
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    return line[: len(stripped) + 1] if backslashes % 2 else stripped
