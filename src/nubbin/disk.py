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
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISLNK, S_ISREG
from typing import Self

from nubbin.access import INHERITED_LIST, LIST, Access, drop
from nubbin.documents.reading.stream import descriptor_of
from nubbin.removal import FOLDER, is_half_removed, is_there, remove_entries
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError

# Opens no link, and does not wait for a pipe.
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
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
        file = os.open(name, flags | _FILE, 0o600, dir_fd=self.descriptor)
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
    flags = os.O_RDONLY | _FILE
    with suppress(OSError), os.fdopen(os.open(place, flags, dir_fd=dir_fd), "rb") as file:
        about = os.fstat(file.fileno())
        return file.read(min(most, about.st_size)) if S_ISREG(about.st_mode) else None
    return None


def write_whole(
    place: Path,
    data: bytes,
    mode: int = 0o666,
    *,
    access: Access | None = None,
    takes_devices: bool = False,
) -> None:
    """Make or replace a file in any folder, completely or not at all; raises OSError.

    With an `access`, only these users get rights; otherwise, the umask limits the `mode`. A link is
    replaced and never followed. With `takes_devices`, see `check_place`.
    """
    if takes_devices and _is_device(place):
        with os.fdopen(_opened_device(place), "wb") as device:
            device.write(data)
        return
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


def check_lookup(path: StrPath) -> None:
    """Raise NubbinError if the system cannot look up a path.

    It cannot if the path is empty, if a name is too long, if links lead in a circle, or if a folder
    on the way may not be entered. From Python 3.14 on, `Path.exists` is false for all of these.
    """
    if not os.fspath(path):
        raise NubbinError("A path is empty. Name a file or a folder; the current folder is a dot.")
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise NubbinError(
            f"nubbin cannot look up the path {os.fspath(path)}: {error.strerror}."
        ) from error


def check_place(place: Path, *, is_folder: bool = False, takes_devices: bool = False) -> None:
    """Raise NubbinError if nubbin cannot make or replace a file, or a folder, at a place.

    A device or a pipe would be replaced, so it is an error. If the user has named the place, use
    `takes_devices`: then an open file of this process is allowed, and a device or a pipe that
    belongs to the user or to root. A link is always an error.
    """
    check_lookup(place)
    if takes_devices and _is_device(place):
        if descriptor_of(place) is None:
            _check_device(place, place.lstat())
        return
    for is_so, problem in _problems_at(place, is_folder=is_folder):
        if is_so:
            raise NubbinError(f"{place} cannot be written: {problem}")


def _problems_at(place: Path, *, is_folder: bool) -> Iterator[tuple[bool, str]]:
    """Yield each possible problem, and whether it exists; the worst comes first."""
    yield (
        not place.parent.is_dir(),
        f"there is no folder {place.parent}. Make it, or name another place.",
    )
    yield (
        not os.access(place.parent, os.W_OK | os.X_OK),
        f"the folder {place.absolute().parent} may not be written to. Allow it, or name another "
        "place.",
    )
    yield (
        place.is_symlink(),
        f"it is a link, to {os.path.realpath(place)}. Name the file or folder itself, or remove "
        "the link.",
    )
    yield (
        os.path.ismount(place),
        "it is a mount point, which nubbin cannot replace. Name a place in it.",
    )
    if not is_folder:
        yield place.is_dir(), "it is a folder. Name a file."
        yield _is_device(place), "it is a device or a pipe, which would be replaced. Name a file."


def _is_device(place: Path) -> bool:
    """Tell whether a place is a device or a pipe, or an open file of this process."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return _is_of_a_device(place.lstat()) or descriptor_of(place) is not None
    return False


def _is_of_a_device(about: os.stat_result) -> bool:
    return not any(is_kind(about.st_mode) for is_kind in (S_ISREG, S_ISDIR, S_ISLNK))


def _check_device(place: Path, about: os.stat_result) -> None:
    """Raise NotOurs for a device or a pipe that belongs neither to the user nor to root."""
    if about.st_uid not in {os.geteuid(), 0} or not _is_of_a_device(about):
        raise NotOurs(
            f"{place} belongs to {_name(about.st_uid)}, who could read the data in it. Name "
            "another place."
        )


def _opened_device(place: Path) -> int:
    if (file := descriptor_of(place)) is not None:
        return os.dup(file)
    try:
        file = os.open(place, os.O_WRONLY | _FILE)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise NubbinError(f"No process reads {place}. Start its reader first.") from error
        raise
    try:
        _check_device(place, os.fstat(file))
        os.set_blocking(file, True)
    except BaseException:
        os.close(file)
        raise
    return file


def _problem_with(path: Path, about: os.stat_result) -> str | None:
    """Return why other users could change a folder; None if they cannot."""
    if about.st_uid != os.geteuid():
        return f"{path} belongs to {_name(about.st_uid)}, not to you."
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


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
