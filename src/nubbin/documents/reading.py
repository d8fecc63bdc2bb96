"""Read files and folders from disk as a document."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.file import File

#: What version control, and nubbin itself, keep in a folder: no part of the input.
_BOOKKEEPING = frozenset({".git", ".hg", ".svn", ".nubbin"})

_NO_FILE = "a pipe, socket or device"


@dataclass(slots=True)
class Inputs:
    """The document that some paths hold, and the folder `root` that its own paths start from.

    The files of `executables` may be run. `left_out` names what is no part of the document, and
    why.
    """

    paths: tuple[Path, ...]
    document: Document
    root: Path
    executables: frozenset[str]
    left_out: tuple[str, ...]

    @property
    def given_as(self) -> Path | None:
        """The path of the only input, the name of a stream; None if there are several inputs."""
        if not self.paths:
            return Path(self.document.name)
        return self.paths[0] if len(self.paths) == 1 else None


def read(paths: Sequence[Path]) -> Inputs:
    """Return the document that some files and folders make.

    A single file is called by its name; a folder, with the files in it, by its own; and several
    inputs keep their paths below the folder that holds them all. A link to a file is read as that
    file. Left out of a folder are version control and `.nubbin`, links to folders, broken links,
    empty folders, and pipes, sockets and devices. Folders may be nested as deeply as a path can
    name.

    Raises OSError, with a filename, if a file cannot be read, or if an input is neither a file nor
    a folder.
    """
    absolute = [os.path.abspath(each) for each in paths]  # links stay links  # noqa: PTH100
    if len(absolute) == 1:
        root, name = os.path.split(absolute[0])
    else:
        root, name = os.path.commonpath([os.path.dirname(each) for each in absolute]), "."  # noqa: PTH120
    reading = _Reading(root.rstrip("/") + "/")
    for each in absolute:
        reading.take(each)
    files = sorted(reading.files.values(), key=lambda file: file.path.split("/"))
    return Inputs(
        tuple(paths),
        Document(name, tuple(files)),
        Path(root),
        frozenset(reading.executables),
        tuple(sorted(set(reading.left_out))),
    )


@dataclass(slots=True)
class _Reading:
    root: str  # ends in a slash
    files: dict[str, File] = field(default_factory=dict)
    executables: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)

    def take(self, given: str) -> None:
        """Read an input."""
        if os.path.isdir(given):  # noqa: PTH112
            for path in self._below(given):
                if not self._read(path):  # it has been replaced since
                    self._leave_out(path, _NO_FILE)
        elif not self._read(given):
            raise OSError(errno.EINVAL, "neither a file nor a folder", given)

    def _below(self, top: str) -> Iterator[str]:
        """Yield the files below a folder; with a stack, as recursion ends at a thousand levels."""
        folders = [top]
        while folders:
            folder = folders.pop()
            with os.scandir(folder) as scanned:
                entries = list(scanned)
            if not entries and folder != top:
                self._leave_out(folder, "an empty folder")
            for entry in entries:
                if entry.name in _BOOKKEEPING:
                    self._leave_out(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif os.path.isfile(entry.path):  # follows links  # noqa: PTH113
                    yield entry.path
                else:
                    self._leave_out(entry.path, _what(entry))

    def _read(self, path: str) -> bool:
        """Read a file; return whether it is one."""
        # Without waiting for the other end, if it is a pipe by now.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode):
            os.close(descriptor)
            return False
        with os.fdopen(descriptor, "rb") as opened:
            try:
                # No more than there is now, if it grows; files of /proc claim to be empty.
                data = opened.read(seen.st_size) or opened.read()
            except OSError as error:
                error.filename = path
                raise
        name = path.removeprefix(self.root)
        self.files[name] = File(name, data)
        if seen.st_mode & 0o111:
            self.executables.add(name)
        return True

    def _leave_out(self, path: str, why: str = "") -> None:
        name = path.removeprefix(self.root)
        self.left_out.append(f"{name} ({why})" if why else name)


def _what(entry: os.DirEntry[str]) -> str:
    if not entry.is_symlink():
        return _NO_FILE
    return "a link to a folder" if os.path.isdir(entry.path) else "a link to no file"  # noqa: PTH112
