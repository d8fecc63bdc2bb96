"""A candidate as files, and how it gets on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

Files = Mapping[str, bytes]
"""Contents by relative posix path; a single input is `{"small.c": data}`."""


def write(files: Files, folder: str) -> None:
    """Write a candidate's files into a folder, with the folders they need.

    Raises ValueError for a path that would leave the folder, and OSError as the disk does.
    """
    for path, data in files.items():
        parent = _parent(path)
        if parent:
            Path(folder, parent).mkdir(parents=True, exist_ok=True)
        # Once a query, and cheaper than a file object.
        descriptor = os.open(f"{folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
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
