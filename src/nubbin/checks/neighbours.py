"""The files that lie around an input, as many as a test may be given at once."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nubbin.documents.document import Document

#: No more files and bytes of a folder are read; those of nearer folders come first.
_MAX_FILES = 2000
_MAX_BYTES = 64 << 20
_MAX_FILE_BYTES = 16 << 20


@dataclass(slots=True)
class Neighbours:
    """Files in a folder by their paths in it; those of `executables` may be run."""

    folder: Path
    files: dict[str, bytes] = field(default_factory=dict)
    executables: set[str] = field(default_factory=set)


def neighbours(folder: Path, document: Document, linked: Collection[Path]) -> Neighbours:
    """Read the files in a folder, and below it, that can lie beside those of a document.

    So can those in a folder that is the input, but was not read as part of it. What cannot be read,
    is hidden, is in one of the `linked` folders, or is too much, is left out. Changes nothing.
    """
    found, left = Neighbours(folder), _MAX_BYTES
    taken = set(document.contents)
    crossed = {way for path in taken for way in _within(path)}
    for path in _below(folder, linked):
        name = os.path.relpath(path, folder)
        if name in crossed or not taken.isdisjoint(_within(name)):
            continue
        with suppress(OSError):
            seen = path.stat()
            if seen.st_size > min(left, _MAX_FILE_BYTES):
                continue
            found.files[name] = path.read_bytes()
            left -= seen.st_size
            if seen.st_mode & 0o111:
                found.executables.add(name)
        if len(found.files) == _MAX_FILES:
            break
    return found


def _below(folder: Path, linked: Collection[Path]) -> Iterator[Path]:
    folders = deque([folder])
    while folders:
        with suppress(OSError), os.scandir(folders.popleft()) as scanned:
            for entry in sorted(scanned, key=lambda each: each.name):
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and Path(entry.path) not in linked:
                        folders.append(Path(entry.path))
                elif entry.is_file():
                    yield Path(entry.path)


def _within(path: str) -> Iterator[str]:
    """Yield a path in a folder, and the folders on the way to it: a/b/c, a/b, a."""
    while path:
        yield path
        path = os.path.dirname(path)  # noqa: PTH120 - of a text, a hundred thousand times
