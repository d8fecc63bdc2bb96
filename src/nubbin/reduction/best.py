"""The best result so far, on disk at every moment."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from nubbin.documents.document import Document


class Best:
    """The file or folder that always holds the smallest interesting candidate.

    A file is replaced atomically: a reader, or whoever comes after a crash, finds a whole
    candidate. A folder is swapped by two renames, both of the same instant; a crash between them
    leaves the whole candidate under a hidden name beside. Permissions are those of the files
    below `root` that the candidate's are made from, as long as these are there.
    """

    def __init__(self, root: Path, target: Path):
        self.path = target
        self._root = root

    def write(self, document: Document) -> None:
        """Replace the contents; raises OSError and leaves what was there if it cannot."""
        try:
            self._write(document)
        except OSError as error:
            raise OSError(f"{self.path} cannot be written: {error}") from error

    def _write(self, document: Document) -> None:
        prefix = f".{self.path.name}."
        if document.is_single:
            handle, name = tempfile.mkstemp(prefix=prefix, dir=self.path.parent)
            os.close(handle)
        else:
            name = tempfile.mkdtemp(prefix=prefix, dir=self.path.parent)
            self._copy_mode(document.name, Path(name))
        made = Path(name)
        try:
            for file in document.files:
                place = made / Path(file.path).relative_to(document.name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.data)
                self._copy_mode(file.path, place)
            self._put(made)
        except BaseException:
            _remove(made)
            raise

    def _put(self, made: Path) -> None:
        if not made.is_dir() or not self.path.exists():
            made.replace(self.path)
            return
        before = made.with_name(f"{made.name}.before")
        self.path.replace(before)
        made.replace(self.path)
        _remove(before)

    def _copy_mode(self, path: str, place: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(self._root / path, place)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
