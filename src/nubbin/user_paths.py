"""Check the paths that the user names, read streams, and write to devices and pipes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from nubbin.access import Access
from nubbin.disk import OPEN_FILE, NotOurs, user_name, write_whole
from nubbin.pattern import pattern
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.waiting import readable

#: The name of an input that is a stream, unless the user names it.
STREAM_NAME = "input"
_STANDARD = {"-": 0, "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = pattern(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_CHUNK_BYTES = 1 << 20
#: The most that an input can have: with more, the candidates, trees and journal of a run would fill
#: the memory. A longer stream is taken for endless.
MAX_BYTES = 1 << 30


def descriptor_of(given: Path) -> int | None:
    """Return the descriptor that `-`, /dev/stdin, /dev/fd/N or the like names; None for others."""
    match = _DESCRIPTOR.fullmatch(str(given))
    return int(match[1]) if match else _STANDARD.get(str(given))


def read_stream(descriptor: int) -> bytes:
    """Return everything up to the end of a stream; raises OSError, also for more than 1 GiB."""
    data = bytearray()
    while chunk := _read(descriptor):
        data += chunk
        if len(data) > MAX_BYTES:
            raise OSError(
                errno.EFBIG, "it has not ended after 1 GiB, the most that nubbin holds in memory"
            )
    return bytes(data)


def _read(descriptor: int) -> bytes:
    while True:
        readable(descriptor)
        try:
            return os.read(descriptor, _CHUNK_BYTES)
        except BlockingIOError:  # another reader was faster
            continue


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
            f"{place} belongs to {user_name(about.st_uid)}, who could read the data in it. Name "
            "another place."
        )


def write_named(place: Path, data: bytes, access: Access | None = None) -> None:
    """Write as `write_whole` does, but into a device, a pipe or an open file of this process."""
    if not _is_device(place):
        write_whole(place, data, access=access)
        return
    with os.fdopen(_opened_device(place), "wb") as device:
        device.write(data)


def _opened_device(place: Path) -> int:
    if (file := descriptor_of(place)) is not None:
        return os.dup(file)
    try:
        file = os.open(place, os.O_WRONLY | OPEN_FILE)
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
