"""The best result so far, on disk at every moment."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from nubbin.oracles.errors import WrongTest


class Best:
    """The file that always holds the smallest interesting candidate.

    Every write is atomic: a reader, or whoever comes after a crash, finds a whole candidate.
    The file has the permissions of the input.
    """

    def __init__(self, source: Path, target: Path):
        self.path = target
        self._source = source

    def write(self, data: bytes) -> None:
        """Replace the contents; raises OSError and leaves the file as it was if it cannot."""
        handle, name = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            shutil.copymode(self._source, name)
            Path(name).replace(self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def place_for(source: Path, output: Path | None, *, in_place: bool) -> Path:
    """Return where the result goes: `output`, `source` itself, or NAME.reduced.EXT beside it.

    Raises WrongTest where writing there would cost the user data or cannot work.
    """
    if in_place:
        kept = original_beside(source)
        if kept.exists():
            raise WrongTest(
                f"{kept} exists already, and --in-place would overwrite it with the input as it "
                f"is now. Move it away, or leave out --in-place."
            )
        return source
    target = output or source.with_name(f"{source.stem}.reduced{source.suffix}")
    if target.exists() and target.samefile(source):
        raise WrongTest(
            f"The result would replace the input {source}. To have that, with the original kept "
            f"as {original_beside(source).name}, use --in-place; else choose another --output."
        )
    if target.is_dir() or not target.parent.is_dir():
        what = "is a folder" if target.is_dir() else "is in a folder that does not exist"
        raise WrongTest(f"The result cannot be written: {target} {what}. Name a file to write.")
    return target


def original_beside(source: Path) -> Path:
    """Return where --in-place keeps the input: INPUT.orig."""
    return source.with_name(f"{source.name}.orig")
