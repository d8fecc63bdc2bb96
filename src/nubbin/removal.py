"""Remove the files that a test left, whatever their depth and mode, and nothing else.

An entry is removed by its name in an open folder. A path may lead elsewhere by now, so a process
gains nothing by replacing a folder that is being removed by a link.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex

from nubbin.pattern import pattern

_MAX_ROUNDS = 3
_GONE = "gone-"  # begins the name of a folder that is being removed
_HALF_REMOVED = pattern(f"{_GONE}[0-9a-f]{{32}}")
#: Opens a folder, and no link to one.
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folders_with(root: int, folders: Sequence[str], file: str) -> bool:
    """Remove nested folders if they hold only `file`; return whether they did.

    The first is in the open folder `root`. Faster than `remove_entries`, because it lists nothing.
    `file` is removed in any case.
    """
    opened = [root]
    try:
        with suppress(OSError):
            for folder in folders:
                opened.append(os.open(folder, FOLDER, dir_fd=opened[-1]))
            os.unlink(file, dir_fd=opened[-1])
            for folder, inside in zip(reversed(folders), reversed(opened[:-1]), strict=True):
                os.rmdir(folder, dir_fd=inside)
            return True
    finally:
        for each in opened[1:]:
            os.close(each)
    return False


def remove_entries(root: int, *names: str) -> OSError | None:
    """Remove entries of the open folder `root`; return the first error, None if all are removed."""
    left, errors = list(names), list[OSError]()
    # A process ends a moment after it is killed, and may fill an empty folder until then.
    for _ in range(_MAX_ROUNDS):
        left, errors = _remove_once(root, left)
    return errors[0] if left and errors else None


def is_half_removed(name: str) -> bool:
    """Tell whether a folder of this name is left over from an interrupted removal."""
    return _HALF_REMOVED.fullmatch(name) is not None


def _remove_once(root: int, names: list[str]) -> tuple[list[str], list[OSError]]:
    """Remove all that can be removed; return the names that remain in `root`, and all errors."""
    errors: list[OSError] = []
    to_empty = _remove_files(root, ((name, _is_folder(name, root)) for name in names), root, errors)
    emptied = []
    while to_empty:
        folder = to_empty.pop()
        emptied.append(folder)
        with _collecting(errors), _opened(folder, root) as inside, os.scandir(inside) as entries:
            # A list: a folder must not change while it is read.
            found = [(each.name, each.is_dir(follow_symlinks=False)) for each in entries]
            to_empty += _remove_files(inside, found, root, errors)
    for folder in emptied:
        with _collecting(errors):
            os.rmdir(folder, dir_fd=root)
    left = (*names, *emptied) if errors else names
    return [name for name in left if is_there(name, root)], errors


def _remove_files(
    inside: int, entries: Iterable[tuple[str, bool]], root: int, errors: list[OSError]
) -> list[str]:
    """Remove the files of a folder; move its folders to the top of `root` and return their names.

    An entry is a name, and whether it is a folder. Moving keeps paths short, however deep the
    folders are. A mounted folder, say by `mount --bind`, is never emptied, because the system
    refuses to move it.
    """
    folders = []
    for name, is_folder in entries:
        try:  # a context manager would take as long as the removal of a file
            if not is_folder:
                os.unlink(name, dir_fd=inside)
                continue
            moved = f"{_GONE}{token_hex(16)}"
            try:
                os.rename(name, moved, src_dir_fd=inside, dst_dir_fd=root)
            except PermissionError:
                _unlock(name, inside)
                os.rename(name, moved, src_dir_fd=inside, dst_dir_fd=root)
            folders.append(moved)
        except FileNotFoundError:
            pass
        except OSError as error:
            errors.append(error)
    return folders


def _is_folder(name: str, inside: int) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(os.stat(name, dir_fd=inside, follow_symlinks=False).st_mode)
    return False


@contextmanager
def _opened(folder: str, root: int) -> Iterator[int]:
    """Open a folder of `root`, whatever its mode, and get the right to empty it."""
    try:
        inside = os.open(folder, FOLDER, dir_fd=root)
    except PermissionError:
        _unlock(folder, root)
        inside = os.open(folder, FOLDER, dir_fd=root)
    try:
        os.fchmod(inside, 0o700)
        yield inside
    finally:
        os.close(inside)


def _unlock(folder: str, inside: int) -> None:
    """Get the right to enter a folder, whatever its mode, but not the folder behind a link."""
    if not hasattr(os, "O_PATH"):
        os.chmod(folder, 0o700, dir_fd=inside, follow_symlinks=False)
        return
    descriptor = os.open(folder, os.O_PATH | FOLDER, dir_fd=inside)
    try:
        os.chmod(f"/proc/self/fd/{descriptor}", 0o700)  # noqa: PTH101 - it is text
    finally:
        os.close(descriptor)


def is_there(name: str, inside: int) -> bool:
    """Tell whether an open folder has an entry of this name."""
    with suppress(OSError):
        os.stat(name, dir_fd=inside, follow_symlinks=False)
        return True
    return False


@contextmanager
def _collecting(errors: list[OSError]) -> Iterator[None]:
    """Keep an error and continue; a file that is already removed is no error."""
    try:
        yield
    except FileNotFoundError:
        pass
    except OSError as error:
        errors.append(error)
