"""What `.gitignore` names in a folder that is read."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_NAME = ".gitignore"
_MAX_BYTES = 1 << 16
#: Stars in a pattern: each one more multiplies the time for a long name by its length.
_MAX_STARS = 3


@dataclass(frozen=True, slots=True)
class Ignored:
    """What the `.gitignore` of a folder and of those above it say of the paths below it.

    The rules are those of git: of several patterns the last one decides, and of several files the
    one that is deepest. Only files are read, and no program is run: the settings of a repository
    can name programs. What git tracks all the same is not known here.
    """

    above: Ignored | None
    folder: str
    spec: GitIgnoreSpec

    @classmethod
    def below(cls, above: Ignored | None, folder: str) -> Ignored | None:
        """Return what holds in a folder, given what holds above it; None if nothing does."""
        lines = list(_lines(Path(folder, _NAME)))
        return cls(above, folder, _spec(lines)) if lines else above

    def names(self, path: str, *, is_folder: bool) -> bool:
        """Tell whether a path below the folder is named."""
        here: Ignored | None = self
        while here is not None:
            relative = path.removeprefix(f"{here.folder}/") + "/" * is_folder
            said = here.spec.check_file(relative).include
            if said is not None:
                return said
            here = here.above
        return False


def _spec(lines: list[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - few runs need it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # `[[]` may mean more in a later Python
        return GitIgnoreSpec.from_lines(lines)


def _lines(file: Path) -> Iterator[str]:
    """Yield the lines of a file that are patterns; none if it is a link, as for git."""
    with suppress(OSError):
        if file.is_symlink() or not file.is_file():
            return
        with file.open("rb") as opened:
            for line in os.fsdecode(opened.read(_MAX_BYTES)).splitlines():
                if line.replace("**", "").count("*") > _MAX_STARS:
                    continue
                with suppress(ValueError, re.error):  # git passes over these, too
                    _spec([line])
                    yield line
