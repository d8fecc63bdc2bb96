"""The best result so far, on disk at every moment."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from nubbin.documents.document import Document


class Best:
    """The files or folders, most often one, that always hold the smallest interesting candidate.

    A file is replaced atomically: a reader, or whoever comes after a crash, finds a whole
    candidate. A folder is swapped by two renames, both of the same instant; a crash between them
    leaves the whole candidate under a hidden name beside. Permissions are those of the files
    below `root` that the candidate's are made from, as long as these are there.
    """

    def __init__(self, root: Path, *targets: Path):
        self._root = root
        self._targets = targets

    def write(self, document: Document) -> None:
        """Replace the contents; raises OSError and leaves what was there if it cannot."""
        for target in self._targets:
            target.parent.mkdir(exist_ok=True)
            made = self._made(document, target)
            try:
                for file in document.files:
                    place = made / Path(file.path).relative_to(document.name)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(file.data)
                    self._copy_mode(file.path, place)
                _put(made, target)
            except BaseException:
                _remove(made)
                raise

    def _made(self, document: Document, target: Path) -> Path:
        prefix = f".{target.name}."
        if document.is_single:
            handle, name = tempfile.mkstemp(prefix=prefix, dir=target.parent)
            os.close(handle)
            return Path(name)
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        self._copy_mode(document.name, made)
        return made

    def _copy_mode(self, path: str, place: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(self._root / path, place)


def _put(made: Path, target: Path) -> None:
    if not made.is_dir() or not target.exists():
        made.replace(target)
        return
    before = made.with_name(f"{made.name}.before")
    target.replace(before)
    made.replace(target)
    _remove(before)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
