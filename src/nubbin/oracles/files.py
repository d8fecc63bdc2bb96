"""A candidate as files, and how it gets on disk."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

Files = Mapping[str, bytes]
"""Contents by relative posix path; a single input is `{"small.c": data}`."""


def write(files: Files, folder: str, executables: Collection[str] = ()) -> None:
    """Write a candidate's files into a folder, with the folders they need.

    Those of `executables` may be run.

    Raises ValueError for a path that would leave the folder, and OSError as the disk does.
    """
    try:
        _write(files, folder, executables)
    except OSError as error:
        raise OSError(f"no candidate can be written to {folder}: {error}") from error


def _write(files: Files, folder: str, executables: Collection[str]) -> None:
    for path, data in files.items():
        parent = _parent(path)
        if parent:
            Path(folder, parent).mkdir(parents=True, exist_ok=True)
        # Once a query, and cheaper than a file object.
        mode = 0o777 if path in executables else 0o666
        descriptor = os.open(f"{folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        finally:
            os.close(descriptor)


@lru_cache(maxsize=65536)
def _parent(path: str) -> str:
    """Return the folder part of a relative path that stays inside its folder, else raise."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts or os.sep in parts.name:
        raise ValueError(f"{path!r} is no relative path inside the candidate's folder")
    return "" if len(parts.parts) == 1 else str(parts.parent)
