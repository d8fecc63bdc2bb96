"""What lies at the place of a result, and the hidden folder in which its replacement is made."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from nubbin.disk import Folder, NotOurs, beginning
from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link
from nubbin.documents.reading.stream import MAX_BYTES
from nubbin.oracles.isolation.candidate_files import Files, Origin, update
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

#: Bytes by path below the place, a `Link` for a link; `.` is the place itself. None for anything
#: that is neither a file nor a link, or cannot be read.
Contents = Mapping[str, bytes | None]

#: The result of `lstat` for everything at a place: it differs after any change but the fastest.
Stamps = Mapping[str, tuple[int, ...]]


def contents_of(document: Document, place: Path, root: Path) -> dict[str, bytes]:
    """Return the contents of a place after a document that was read in `root` is written there.

    Links lead to the same files as in a candidate.
    """
    origin = Origin(os.fspath(root.absolute()), document.name)
    at, inside = os.fspath(place.absolute()), f"{document.name}/"
    return {
        "." if path == document.name else path.removeprefix(inside): data
        if not isinstance(data, Link)
        else Link(os.fsencode(origin.target_at(at, path, data)))
        for path, data in document.contents.items()
    }


def document_of(name: str, contents: Contents) -> Document:
    """Return the document of this name that has these files; anything else is left out."""
    files = ((Path(name, path), data) for path, data in contents.items() if data is not None)
    return Document(name, tuple(File(path.as_posix(), data) for path, data in sorted(files)))


def contents_at(
    place: StrPath, *, dir_fd: int | None = None, most: int = MAX_BYTES
) -> Contents | None:
    """Read the contents of a place, without following links; None if there is nothing.

    If the files have more than `most` bytes together, none of them is read, because any user may
    have put them there. As in `os`, a relative path begins in the open folder `dir_fd`.
    """
    found = dict(_entries(place, dir_fd))
    if not found:
        return None
    if sum(seen.st_size for seen in found.values() if stat.S_ISREG(seen.st_mode)) > most:
        most = -1
    return {
        path: _data(_below(place, path), seen.st_mode, dir_fd, most)
        for path, seen in found.items()
        if not stat.S_ISDIR(seen.st_mode)
    }


def lie_at(place: StrPath, contents: Contents, *, dir_fd: int | None = None) -> bool:
    """Tell whether a place has these contents; reads no more bytes than they have."""
    most = sum(len(data) for data in contents.values() if data is not None)
    return contents_at(place, dir_fd=dir_fd, most=most) == contents


def stamps_at(place: StrPath, *, dir_fd: int | None = None) -> Stamps:
    """Return the stamps of everything at a place; empty if there is nothing."""
    return {path: _stamp(seen) for path, seen in _entries(place, dir_fd)}


def without_ctime(stamps: Stamps) -> Stamps:
    """Return stamps without the time that renaming the place changes."""
    return {path: stamp[:-1] for path, stamp in stamps.items()}


def _entries(place: StrPath, dir_fd: int | None) -> Iterator[tuple[str, os.stat_result]]:
    try:
        seen = os.stat(place, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return
    yield ".", seen
    # Not by os.walk, which fails on folders a thousand levels deep.
    folders = ["."] if stat.S_ISDIR(seen.st_mode) else []
    while folders:
        above = folders.pop()
        folder = os.open(_below(place, above), _FOLDER, dir_fd=dir_fd)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = entry.name if above == "." else f"{above}/{entry.name}"
                    yield path, entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)
        finally:
            os.close(folder)


def _below(place: StrPath, path: str) -> str:
    return os.fspath(place) if path == "." else f"{os.fspath(place)}/{path}"


def _stamp(seen: os.stat_result) -> tuple[int, ...]:
    kind = stat.S_IFMT(seen.st_mode)
    if kind == stat.S_IFDIR:  # its entries have stamps of their own
        return (kind,)
    return (kind, seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


def _data(path: str, mode: int, dir_fd: int | None, most: int) -> bytes | None:
    if stat.S_ISLNK(mode):
        with suppress(OSError):
            return Link(os.fsencode(os.readlink(path, dir_fd=dir_fd)))
    return beginning(path, most, dir_fd=dir_fd) if stat.S_ISREG(mode) and most >= 0 else None


#: The names in the folder: the replacement; the old result, before and after it is recognised as
#: such; and the old result when the next one is made from it.
NEW: Final = "new"
ASIDE: Final = "aside"
OLD: Final = "old"
SPARE: Final = "spare"
_LOCK = "lock"
_MARK = b"nubbin "  # begins the lock: a folder with other things in it is not ours
_MAX_WHO_BYTES = 100


class Staging:
    """A folder `.NAME.nubbin` beside a place; only the process that locks it may write there.

    The replacement is made as NEW. A folder at the place is first moved to ASIDE, and to OLD when
    it is known to be nubbin's own; then it becomes the SPARE, from which the next replacement is
    made. So the next process finds and removes everything that a killed one left. The system
    releases the lock when the process ends. Raises NubbinError if another process holds the place,
    or if others can write to the folder; OSError if it cannot be written.
    """

    def __init__(self, place: Path):
        self._place = place
        self._spare: tuple[Files, Stamps] = {}, {}
        self.folder, self._held = _hold(staging_path(place), place)
        try:
            os.ftruncate(self._held, os.pwrite(self._held, b"%b%d\n" % (_MARK, os.getpid()), 0))
            self._clear()
        except BaseException:
            self.close()
            raise
        if self.folder.has(ASIDE):
            self.close()
            raise NubbinError(
                f"A run of nubbin was killed while it replaced {place}, and another process has "
                f"written there since. What lay there before is in {self.folder.path / ASIDE}. "
                "Move that to where you want it, and start again."
            )

    def close(self) -> None:
        """Release the place and remove the folder, except files that are not nubbin's."""
        with suppress(OSError):
            self._clear()
            if self.folder.names() == {_LOCK}:
                self.folder.remove([_LOCK])
                self.folder.path.rmdir()  # fails if another run makes its lock at this instant
        os.close(self._held)
        self.folder.close()

    def take(self, name: str) -> None:
        """Move the file or folder at the place into this folder."""
        os.replace(self._place, name, dst_dir_fd=self.folder.descriptor)

    def put(self, name: str) -> None:
        """Move a file or folder from this folder to the place."""
        os.replace(name, self._place, src_dir_fd=self.folder.descriptor)

    def bring_back(self) -> None:
        """Move the old file or folder back to the place, unless there is another by now."""
        for each in (ASIDE, OLD):
            if self.folder.has(each) and not os.path.lexists(self._place):
                self.put(each)

    def keep_spare(self, contents: Files, stamps: Stamps) -> None:
        """Keep OLD as SPARE if it still has these contents and stamps, otherwise remove it."""
        self.folder.remove([SPARE])
        if contents and stamps_at(OLD, dir_fd=self.folder.descriptor) == stamps:
            self.folder.rename(OLD, SPARE)
            self._spare = contents, stamps
        else:
            self.folder.remove([OLD])

    def fill(self, contents: Files) -> Collection[str]:
        """Make the folder NEW with these contents, from SPARE if that has not been changed.

        Two results differ in few of their files, and equal files are not written again. Returns the
        paths of the files that are written.
        """
        (before, stamps), self._spare = self._spare, ({}, {})
        inside = self.folder.descriptor
        if stamps and stamps_at(SPARE, dir_fd=inside) == stamps:
            self.folder.rename(SPARE, NEW)
        else:
            before = {}
            os.mkdir(NEW, dir_fd=inside)
        return update(NEW, before, contents, dir_fd=inside)

    def undo(self) -> None:
        """Undo an unfinished replacement, and remove its remains, but no file of anyone else."""
        self.bring_back()
        self.folder.remove_left(NEW, OLD)

    def _clear(self) -> None:
        self.undo()
        self.folder.remove([SPARE])


def staging_path(place: Path) -> Path:
    """Return the path of the folder beside a place."""
    return place.with_name(f".{place.name}.nubbin")


def _hold(path: Path, place: Path) -> tuple[Folder, int]:
    while True:
        with suppress(FileNotFoundError):  # its owner has just removed it
            folder = _opened(path)
            try:
                if (held := _locked(folder, place)) is not None:
                    return folder, held
            except BaseException:
                folder.close()
                raise
            folder.close()


def _opened(path: Path) -> Folder:
    try:
        return Folder.made(path)
    except NotOurs as error:
        raise _in_the_way(path, str(error)) from error
    except NotADirectoryError as error:
        raise _in_the_way(path, "This one is a file or a link.") from error


def _locked(folder: Folder, place: Path) -> int | None:
    """Lock the folder; None if its owner has removed it meanwhile."""
    if not _is_marked(folder):
        raise _in_the_way(folder.path, "This one has other contents.")
    held = folder.lock(_LOCK)
    if held is None:
        who = folder.read(_LOCK, _MAX_WHO_BYTES)[len(_MARK) :].decode(errors="replace").strip()
        raise NubbinError(
            f"Another run of nubbin, in process {who or 'unknown'}, writes to {place}. Wait "
            "for it, or end it first; or have a new run write elsewhere, by --output."
        )
    if folder.is_at_its_path() and _is_in(folder, held):
        return held
    os.close(held)
    return None


def _is_in(folder: Folder, held: int) -> bool:
    """Tell whether the lock still has its name, and is no other file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(held), os.stat(_LOCK, dir_fd=folder.descriptor))
    return False


def _is_marked(folder: Folder) -> bool:
    """Tell whether nubbin made a folder, so that none of the user's own files are removed."""
    there = folder.names()
    with suppress(PermissionError, FileNotFoundError):
        begins = folder.read(_LOCK, len(_MARK)) if there else _MARK
        return begins == _MARK or (begins == b"" and there == {_LOCK})  # killed before its mark
    return False


def _in_the_way(path: Path, problem: str) -> NubbinError:
    return NubbinError(
        f"{path} is in the way: nubbin makes a folder of that name, for you alone, while it runs. "
        f"{problem} Move it away, or name another place for the result."
    )
