"""Removing what a test left, however hard it made that, and nothing else.

What is removed is called by its name in an open folder, never by a path, which may lead elsewhere
by now. So a process that puts a link in the place of a folder, while that is removed, gains
nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import uuid4

_ROUNDS = 3
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_with_file(root: int, folder: str, file: str) -> bool:
    """Remove a folder of the open folder `root` that holds nothing but `file`; tell if it did.

    Quicker than `remove`: there is no look around.
    """
    with suppress(OSError):
        inside = os.open(folder, _FOLDER, dir_fd=root)
        try:
            os.unlink(file, dir_fd=inside)
        finally:
            os.close(inside)
        os.rmdir(folder, dir_fd=root)
        return True
    return False


def remove(root: int, *names: str) -> OSError | None:
    """Remove files, links and folders in the open folder `root`, as far as the system allows.

    Returns what went wrong if anything is left.
    """
    left, troubles = list(names), list[OSError]()
    # A process ends a moment after it is killed, so that a folder may fill again behind us.
    for _ in range(_ROUNDS):
        left, troubles = _remove_once(root, left)
    return troubles[0] if left and troubles else None


def _remove_once(root: int, names: list[str]) -> tuple[list[str], list[OSError]]:
    """Remove what can be removed; return what of `root` would not go, and all that went wrong."""
    troubles: list[OSError] = []
    doomed = _cleared(root, names, root, troubles)
    emptied = []
    while doomed:
        folder = doomed.pop()
        emptied.append(folder)
        with _noting(troubles), _opened(folder, root) as inside:
            doomed += _cleared(inside, os.listdir(inside), root, troubles)  # noqa: PTH208
    for folder in emptied:
        with _noting(troubles):
            os.rmdir(folder, dir_fd=root)
    return [name for name in (*names, *emptied) if _is_there(name, root)], troubles


def _cleared(inside: int, names: list[str], root: int, troubles: list[OSError]) -> list[str]:
    """Remove the files of a folder; move its folders to the top of `root` and return their names.

    So no path gets too long, however deep the test went, and what is mounted, say by `mount
    --bind`, is never emptied: the system refuses to move it.
    """
    folders = []
    for name in names:
        with _noting(troubles):
            if not stat.S_ISDIR(os.stat(name, dir_fd=inside, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=inside)
                continue
            moved = f"gone-{uuid4().hex}"
            try:
                os.rename(name, moved, src_dir_fd=inside, dst_dir_fd=root)
            except PermissionError:
                _unlock(name, inside)
                os.rename(name, moved, src_dir_fd=inside, dst_dir_fd=root)
            folders.append(moved)
    return folders


@contextmanager
def _opened(folder: str, root: int) -> Iterator[int]:
    """Open a folder of `root` that can be emptied then, whatever its mode was."""
    try:
        inside = os.open(folder, _FOLDER, dir_fd=root)
    except PermissionError:
        _unlock(folder, root)
        inside = os.open(folder, _FOLDER, dir_fd=root)
    try:
        os.fchmod(inside, 0o700)
        yield inside
    finally:
        os.close(inside)


def _unlock(folder: str, inside: int) -> None:
    """Let us into a folder, whatever its mode; never into what a link points to."""
    if not hasattr(os, "O_PATH"):
        os.chmod(folder, 0o700, dir_fd=inside, follow_symlinks=False)
        return
    place = os.open(folder, os.O_PATH | _FOLDER, dir_fd=inside)
    try:
        os.chmod(f"/proc/self/fd/{place}", 0o700)  # noqa: PTH101
    finally:
        os.close(place)


def _is_there(name: str, inside: int) -> bool:
    with suppress(OSError):
        os.stat(name, dir_fd=inside, follow_symlinks=False)
        return True
    return False


@contextmanager
def _noting(troubles: list[OSError]) -> Iterator[None]:
    """Go on after an error, and keep it; what has gone by itself is none."""
    try:
        yield
    except FileNotFoundError:
        pass
    except OSError as error:
        troubles.append(error)
