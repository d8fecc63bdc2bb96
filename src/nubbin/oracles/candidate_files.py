"""A candidate as files, and how it gets on disk, and off it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection, Mapping

StrPath = str | os.PathLike[str]
"""What names a file or a folder on this machine."""

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


def remove(path: StrPath) -> None:
    """Remove a file or a folder, however deep, if it is there; raises OSError if it stays."""
    folders, left = [], [os.fspath(path)]
    while left:
        each = left.pop()
        try:
            seen = os.lstat(each)
            if stat.S_ISDIR(seen.st_mode):
                folders.append(each)
                with os.scandir(each) as entries:
                    left.extend(entry.path for entry in entries)
            else:
                os.unlink(each)  # noqa: PTH108 - thousands of them
        except FileNotFoundError:
            continue
    for folder in reversed(folders):
        os.rmdir(folder)  # noqa: PTH106


def _write(files: Files, folder: str, executables: Collection[str]) -> None:
    made = {""}
    for path, data in files.items():
        _make(folder, _parent(path), made)
        # Once a query, and cheaper than a file object.
        mode = 0o777 if path in executables else 0o666
        descriptor = os.open(f"{folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        finally:
            os.close(descriptor)


def _make(folder: str, parent: str, made: set[str]) -> None:
    """Make the folders on the way to `parent` that are not `made`; they may be a thousand deep."""
    missing = []
    while parent not in made:
        made.add(parent)
        missing.append(parent)
        parent = parent.rpartition("/")[0]
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(f"{folder}/{each}")  # noqa: PTH102 - thousands a query


def _parent(path: str) -> str:
    """Return the folder part of a relative path that stays inside its folder, else raise."""
    parent, _, name = path.rpartition("/")
    if path.startswith("/") or name in {"", "."} or ".." in path.split("/"):
        raise ValueError(f"{path!r} is no relative path inside the candidate's folder")
    return parent
