"""Write files completely or not at all, in folders that no other user can write to.

A name proves nothing. In a shared folder, other users may have made a folder, a link or a pipe of
any name, and may replace it at any moment. So nubbin opens a folder once, checks its owner and its
mode through the descriptor, and does everything in it through the descriptor.
"""

from __future__ import annotations

import errno
import fcntl
import grp
import os
import pwd
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG
from typing import Self

from nubbin.access import INHERITED_LIST, LIST, Access, drop
from nubbin.removal import FOLDER, is_half_removed, is_there, remove_entries
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError

#: Opens no link, and does not wait for a pipe.
OPEN_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS_MAY_WRITE = 0o022


class NotOurs(NubbinError):
    """A file or folder belongs to another user, or others may write to it."""


class Folder:
    """An open folder that belongs to the user, and that nobody else can write to.

    A context manager. Its methods take the names of entries and never paths; other functions take
    the `descriptor` as a `dir_fd`. If others may write to an empty folder of the user's, as some
    umasks allow, that right is removed. Raises NotOurs for other folders, and OSError.
    """

    def __init__(self, path: Path, *, within: int | None = None):
        self.path = path
        try:
            name = path if within is None else path.name
            self.descriptor = os.open(name, FOLDER, dir_fd=within)
        except OSError as error:
            if error.errno == errno.ELOOP:  # what some systems say of a link
                text = os.strerror(errno.ENOTDIR)
                raise NotADirectoryError(errno.ENOTDIR, text, str(path)) from error
            raise
        problem = _problem_with(path, os.fstat(self.descriptor))
        if problem and _closed_to_others(self.descriptor):
            problem = None
        if problem and _tells_users_apart(self.descriptor):
            self.close()
            raise NotOurs(problem)

    @classmethod
    def made(cls, path: Path, *, within: int | None = None) -> Self:
        """Open a folder; if there is none, make it for the user alone."""
        name, is_new = path if within is None else path.name, False
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=within)
            is_new = True
        try:
            made = cls(path, within=within)
        except NotOurs:
            if is_new:
                os.rmdir(name, dir_fd=within)
            raise
        if is_new:
            drop(made.descriptor, INHERITED_LIST)
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)

    def folder(self, name: str) -> Folder:
        """Open a subfolder; make it if there is none."""
        return Folder.made(self.path / name, within=self.descriptor)

    def is_at_its_path(self) -> bool:
        """Tell whether the path still leads to this folder, and not to a replacement."""
        with suppress(OSError):
            return os.path.samestat(self.path.lstat(), os.fstat(self.descriptor))
        return False

    def check_path(self) -> None:
        """Raise NotOurs unless the path leads here; call it after something is opened by path."""
        if not self.is_at_its_path():
            raise NotOurs(f"Something else is in the place of the folder {self.path} by now.")

    def names(self) -> set[str]:
        """Return the names of all entries."""
        return set(os.listdir(self.descriptor))  # noqa: PTH208 - a descriptor

    def has(self, name: str) -> bool:
        """Tell whether there is an entry of this name."""
        return is_there(name, self.descriptor)

    def open(self, name: str, flags: int) -> int:
        """Open a file of the user's own; raises PermissionError for anything else.

        With O_CREAT, nobody else can use a new file.
        """
        file = os.open(name, flags | OPEN_FILE, 0o600, dir_fd=self.descriptor)
        about = os.fstat(file)
        if S_ISREG(about.st_mode) and (
            about.st_uid == os.geteuid() or not _tells_users_apart(self.descriptor)
        ):
            return file
        os.close(file)
        raise PermissionError(f"{self.path / name} is not a file of yours")

    def read(self, name: str, most: int) -> bytes:
        """Return at most `most` bytes of a file of the user's own; raises as `open` does."""
        with os.fdopen(self.open(name, os.O_RDONLY), "rb") as file:
            return file.read(most)

    def write(self, name: str, data: bytes, *, is_new: bool = False) -> None:
        """Make or replace a file, completely or not at all; if it `is_new`, only make one."""
        _write_whole(self.descriptor, name, data, 0o600, is_new=is_new)

    def rename(self, name: str, to: str) -> None:
        """Rename an entry; it replaces an entry of the new name."""
        os.replace(name, to, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def remove(self, names: Iterable[str]) -> None:
        """Remove the entries of these names that exist; raises OSError."""
        there = [name for name in names if self.has(name)]
        if there and (error := remove_entries(self.descriptor, *there)):
            raise error

    def remove_left(self, *names: str) -> None:
        """Like `remove`, and finish the removals of a killed process."""
        self.remove([*names, *filter(is_half_removed, self.names())])

    def lock(self, name: str) -> int | None:
        """Lock a file until the returned descriptor is closed; None if another process has it.

        The file is made if there is none. The system releases the lock when the process ends.
        """
        held = self.open(name, os.O_RDWR | os.O_CREAT)
        while not try_lock(held, fcntl.LOCK_EX):
            # If the lock can be shared, only a reader has it, which releases it at once.
            if not try_lock(held, fcntl.LOCK_SH):
                os.close(held)
                return None
        return held


def is_of_the_system(path: StrPath) -> bool:
    """Tell whether only the user and root can have made a file, and can change it.

    If the path is a link, this must hold for the link and its folder, too. The user's group may
    write if nobody else is in it.
    """
    real = os.path.realpath(path)
    with suppress(OSError):
        seen = [os.stat(each) for each in (real, os.path.dirname(real), os.path.dirname(path))]  # noqa: PTH116, PTH120
        owners = {each.st_uid for each in (*seen, os.lstat(path))}
        return owners <= {os.geteuid(), 0} and not any(map(_others_may_write, seen))
    return False


def _others_may_write(about: os.stat_result) -> bool:
    if about.st_mode & _OTHERS_MAY_WRITE == 0o020:
        with suppress(KeyError):
            group, user = grp.getgrgid(about.st_gid), pwd.getpwuid(os.geteuid()).pw_name
            return group.gr_name != user or not {user}.issuperset(group.gr_mem)
    return bool(about.st_mode & _OTHERS_MAY_WRITE)


def followed(path: Path) -> Path:
    """Return the target of a link of the user's own; any other path is returned unchanged."""
    with suppress(OSError):
        if path.is_symlink() and path.lstat().st_uid == os.geteuid():
            return path.resolve(strict=True)
    return path


def try_lock(descriptor: int, kind: int) -> bool:
    """Lock an open file or folder, as `flock` does; return false if another process has it."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def beginning(place: StrPath, most: int, *, dir_fd: int | None = None) -> bytes | None:
    """Return at most `most` bytes of a file, which may be another user's.

    None for a link, for anything but a file, and if it cannot be read.
    """
    flags = os.O_RDONLY | OPEN_FILE
    with suppress(OSError), os.fdopen(os.open(place, flags, dir_fd=dir_fd), "rb") as file:
        about = os.fstat(file.fileno())
        return file.read(min(most, about.st_size)) if S_ISREG(about.st_mode) else None
    return None


def write_whole(
    place: Path, data: bytes, mode: int = 0o666, *, access: Access | None = None
) -> None:
    """Make or replace a file in any folder, completely or not at all; raises OSError.

    With an `access`, only these users get rights; otherwise, the umask limits the `mode`. A link is
    replaced and never followed.
    """
    folder = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _write_whole(folder, place.name, data, mode, access)
    finally:
        os.close(folder)


def _write_whole(
    folder: int,
    name: str,
    data: bytes,
    mode: int,
    access: Access | None = None,
    *,
    is_new: bool = False,
) -> None:
    part = f".{secrets.token_hex(8)}.part"
    # An access is given only before the data, so that nobody else opens the file before.
    first = mode if access is None else mode & 0o700
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, first, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as writing:
            if access is not None:
                drop(file, LIST)
                access.give(file, most=mode)
            writing.write(data)
        put = os.link if is_new else os.replace
        put(part, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with suppress(FileNotFoundError):  # it was renamed
            os.unlink(part, dir_fd=folder)


def _problem_with(path: Path, about: os.stat_result) -> str | None:
    """Return why other users could change a folder; None if they cannot."""
    if about.st_uid != os.geteuid():
        return f"{path} belongs to {user_name(about.st_uid)}, not to you."
    if about.st_mode & _OTHERS_MAY_WRITE:
        return f"{path} may be written to by others (to change that: chmod go-w {path})."
    return None


def _closed_to_others(folder: int) -> bool:
    """Remove the rights of others to the user's folder if it is empty; return whether it worked."""
    about = os.fstat(folder)
    if about.st_uid != os.geteuid() or os.listdir(folder):
        return False
    os.fchmod(folder, 0o700)
    if os.listdir(folder):
        os.fchmod(folder, S_IMODE(about.st_mode))
        return False
    return not os.fstat(folder).st_mode & _OTHERS_MAY_WRITE


def _tells_users_apart(folder: int) -> bool:
    """Tell whether the file system of a folder has owners and modes; true if it is not known.

    A file system without them, such as that of Windows in WSL, cannot protect anything.
    """
    name = f".{secrets.token_hex(8)}.nubbin"
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    with suppress(OSError):
        file = os.open(name, flags, 0o600, dir_fd=folder)
        try:
            about = os.fstat(file)
            return about.st_uid == os.geteuid() and not about.st_mode & 0o077
        finally:
            os.close(file)
            os.unlink(name, dir_fd=folder)
    return True


def user_name(user: int) -> str:
    """Return the name of a user, or a text with the number of one who has none."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
