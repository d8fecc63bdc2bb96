"""A candidate as files: writing it to disk, and removing it."""

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

    The files of `executables` are executable. Raises ValueError for a path that would leave the
    folder, and OSError if the system cannot write a file.
    """
    try:
        _write(files, folder, executables)
    except OSError as error:
        raise OSError(f"no candidate can be written to {folder}: {error}") from error


def update(folder: str, before: Files, after: Files) -> Collection[str]:
    """Make a folder that holds some files hold others; return the paths of those it has written.

    Takes no time for files that stay as they are. Raises what `write` raises.
    """
    written = {path: data for path, data in after.items() if before.get(path) != data}
    for path in before:
        if path in written or path not in after:
            os.unlink(f"{folder}/{path}")  # noqa: PTH108 - thousands of them
            _remove_empty(folder, _parent(path))
    write(written, folder)
    return written


def remove(path: StrPath) -> None:
    """Remove a file or a folder, however deep, if it exists; raises OSError if it stays."""
    folders, left = [], [os.fspath(path)]
    while left:
        each = left.pop()
        try:
            if stat.S_ISDIR(os.lstat(each).st_mode):
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
        _make_folders(folder, _parent(path), made)
        # Once per query, and cheaper than a file object.
        mode = 0o777 if path in executables else 0o666
        descriptor = os.open(f"{folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        finally:
            os.close(descriptor)


def _make_folders(folder: str, parent: str, made: set[str]) -> None:
    """Make `parent` and the folders above it that are not `made`; there may be a thousand."""
    missing = []
    while parent not in made:
        made.add(parent)
        missing.append(parent)
        parent = parent.rpartition("/")[0]
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(f"{folder}/{each}")  # noqa: PTH102 - thousands per query


def _remove_empty(folder: str, parent: str) -> None:
    """Remove `parent` and the folders above it, up to `folder`, if they are empty."""
    with contextlib.suppress(OSError):
        while parent:
            os.rmdir(f"{folder}/{parent}")  # noqa: PTH106
            parent = parent.rpartition("/")[0]


def _parent(path: str) -> str:
    """Return the folder part of a relative path that stays inside its folder, else raise."""
    parent, _, name = path.rpartition("/")
    if path.startswith("/") or name in {"", "."} or ".." in path.split("/"):
        raise ValueError(f"{path!r} is not a relative path inside the candidate's folder")
    return parent
