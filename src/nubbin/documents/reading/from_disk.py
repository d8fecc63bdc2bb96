"""Read files and folders from disk as a document, without what belongs to no input."""

from __future__ import annotations

import errno
import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link
from nubbin.documents.reading.ignored import Ignored
from nubbin.user_paths import MAX_BYTES

#: The folder of nubbin itself, which is never input.
OWN = ".nubbin"
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})
_CACHES = frozenset({"__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache"})
#: A file of this name that begins like this marks a folder as a cache (bford.info/cachedir).
_CACHE_TAG, _CACHE_MARK = "CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55"
_PACKAGES = "node_modules"
#: A folder with a file of this name is a virtual environment of Python.
_ENVIRONMENT_MARK = "pyvenv.cfg"
#: The most folders of a kind that are named; of more, the files are counted.
_MAX_NAMED = 3
_IGNORED = "what .gitignore names"


@dataclass(slots=True)
class LeavingOut:
    """Decides what is left out of an input, and lists it.

    `reachable` are the paths of installed packages, which the test finds by a link.
    """

    reachable: set[str] = field(default_factory=set)
    _alone: list[str] = field(default_factory=list)
    _alike: defaultdict[str, list[tuple[str, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def takes(self, entry: os.DirEntry[str], name: str) -> bool:
        """Leave an entry out if it is of a kind that no test needs as input; `name` is its path."""
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == OWN or entry.name in _VERSION_CONTROL:
            self._alone.append(name)
        elif is_folder and (entry.name == _PACKAGES or _has(entry.path, _ENVIRONMENT_MARK)):
            self.reachable.add(name)
            self._alone.append(f"{name} ({_counted(_files_in(entry))}, linked for the test)")
        elif is_folder and (entry.name in _CACHES or _has(entry.path, _CACHE_TAG, _CACHE_MARK)):
            self._alike[entry.name].append((name, _files_in(entry)))
        else:
            return False
        return True

    def ignore(self, entry: os.DirEntry[str], name: str) -> None:
        """Leave out an entry that `.gitignore` names."""
        self._alike[_IGNORED].append((name, _files_in(entry)))

    def add(self, name: str, why: str) -> None:
        """Leave out an entry without contents, for instance a pipe."""
        self._alone.append(f"{name} ({why})")

    def in_words(self) -> tuple[str, ...]:
        """Return a text for each entry that is left out, or for many of one kind."""
        return tuple(sorted({*self._alone, *self._alike_in_words()}))

    def _alike_in_words(self) -> Iterator[str]:
        for kind, found in self._alike.items():
            if len(found) > _MAX_NAMED:
                yield f"{kind} ({_counted(sum(files for _, files in found))})"
            else:
                why = ", in .gitignore" if kind == _IGNORED else ""
                yield from (f"{name} ({_counted(files)}{why})" for name, files in found)


def _has(folder: str, name: str, begins: bytes = b"") -> bool:
    """Tell whether there is a file of this name in a folder that begins like this."""
    file = Path(folder, name)
    with suppress(OSError):
        if file.is_file():
            with file.open("rb") as opened:
                return opened.read(len(begins)) == begins
    return False


def _files_in(entry: os.DirEntry[str]) -> int:
    """Count the files in a folder, as far as it may be read; one for a file."""
    if not entry.is_dir(follow_symlinks=False):
        return 1
    folders, files = [entry.path], 0
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for each in entries:
                if each.is_dir(follow_symlinks=False):
                    folders.append(each.path)
                else:
                    files += 1
    return files


def _counted(files: int) -> str:
    return f"{files:,} file" + "s" * (files != 1)


_NO_FILE = "a pipe, socket or device"
_TOO_LARGE = (
    "nubbin holds the input in memory, at most 1 GiB in all, and this file has {:,} bytes. Cut it; "
    "or leave it out of the folder, as .gitignore can"
)


@dataclass(slots=True)
class Inputs:
    """The document made of some paths, and the folder `root` that its own paths start from.

    The files of `executables` may be run. `left_out` names what is not part of the document, with
    the reasons; the test finds the `reachable` folders among it by links.
    """

    document: Document
    root: Path
    paths: tuple[Path, ...] = ()
    executables: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    reachable: frozenset[str] = frozenset()

    @property
    def given_as(self) -> Path | tuple[Path, ...]:
        """The path of the only input, or the name of a stream; the paths of several inputs."""
        if not self.paths:
            return Path(self.document.name)
        return self.paths[0] if len(self.paths) == 1 else self.paths


def common_folder(paths: Sequence[str]) -> str:
    """Return the folder that holds several files or folders, by their absolute paths."""
    return os.path.commonpath([os.path.dirname(each) for each in paths])  # noqa: PTH120


def read(paths: Sequence[Path], *, all_files: bool = False) -> Inputs:
    """Return the document that some files and folders make.

    The path of a single file is its name. The paths of the files in a folder begin with the name of
    the folder. Several inputs keep their paths below the folder that contains them all. If an input
    is itself a link, its target is read; a link in a folder is a `Link`, whatever its target.

    Not part of a folder are `.nubbin`, empty folders, and pipes, sockets and devices; unless
    `all_files` are wanted, neither are version control, installed packages, caches (`LeavingOut`)
    and what `.gitignore` names (`Ignored`). Folders may be nested as deeply as a path can name.

    Raises OSError, with a filename, if a file cannot be read, if an input is neither a file nor a
    folder, or if there are more than `MAX_BYTES`; then no more are read.
    """
    absolute = [os.path.abspath(each) for each in paths]  # links stay links  # noqa: PTH100
    if len(absolute) == 1:
        root, name = os.path.split(absolute[0])
    else:
        root, name = common_folder(absolute), "."
    reading = _Reading(root.rstrip("/") + "/", all_files)
    for each in absolute:
        reading.take(each)
    files = sorted(reading.files.values(), key=lambda file: file.path.split("/"))
    return Inputs(
        Document(name, tuple(files)),
        Path(root),
        tuple(paths),
        frozenset(reading.executables),
        reading.left_out.in_words(),
        frozenset(reading.left_out.reachable),
    )


@dataclass(slots=True)
class _Reading:
    root: str  # ends in a slash
    all_files: bool
    files: dict[str, File] = field(default_factory=dict)
    executables: set[str] = field(default_factory=set)
    left_out: LeavingOut = field(default_factory=LeavingOut)
    bytes: int = 0

    def take(self, given: str) -> None:
        """Read an input."""
        if os.path.isdir(given):  # noqa: PTH112
            for path in self._below(given):
                if not self._read(path):  # it has been replaced since
                    self.left_out.add(self._name(path), _NO_FILE)
        elif not self._read(given):
            raise OSError(errno.EINVAL, "neither a file nor a folder", given)

    def _below(self, top: str) -> Iterator[str]:
        """Yield the files below a folder; with a stack, as recursion ends at a thousand levels."""
        folders: list[tuple[str, Ignored | None]] = [(top, None)]
        while folders:
            folder, above = folders.pop()
            ignored = None if self.all_files else Ignored.below(above, folder)
            with os.scandir(folder) as scanned:
                entries = list(scanned)
            if not entries and folder != top:
                self.left_out.add(self._name(folder), "an empty folder")
            for entry in entries:
                if self._is_left_out(entry, ignored):
                    continue
                if entry.is_symlink():
                    name = self._name(entry.path)
                    self.files[name] = File(name, Link(os.fsencode(os.readlink(entry.path))))  # noqa: PTH115
                elif entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, ignored))
                elif entry.is_file(follow_symlinks=False):
                    yield entry.path
                else:
                    self.left_out.add(self._name(entry.path), _NO_FILE)

    def _is_left_out(self, entry: os.DirEntry[str], ignored: Ignored | None) -> bool:
        name = self._name(entry.path)
        if (entry.name == OWN or not self.all_files) and self.left_out.takes(entry, name):
            return True
        is_folder = entry.is_dir(follow_symlinks=False)
        if ignored is None or not ignored.names(entry.path, is_folder=is_folder):
            return False
        self.left_out.ignore(entry, name)
        return True

    def _name(self, path: str) -> str:
        return path.removeprefix(self.root)

    def _read(self, path: str) -> bool:
        """Read a file; return whether it is one."""
        # Without waiting for the other end, if it is a pipe by now.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode):
            os.close(descriptor)
            return False
        with os.fdopen(descriptor, "rb") as opened:
            self.bytes += seen.st_size
            if self.bytes > MAX_BYTES:
                sizes = {self.root + name: len(file.data) for name, file in self.files.items()}
                largest = max({**sizes, path: seen.st_size}.items(), key=itemgetter(1))
                raise OSError(errno.EFBIG, _TOO_LARGE.format(largest[1]), largest[0])
            try:
                # No more than there is now, if it grows; files of /proc claim to be empty.
                data = opened.read(seen.st_size) or opened.read()
            except OSError as error:
                error.filename = path
                raise
        name = self._name(path)
        self.files[name] = File(name, data)
        if seen.st_mode & 0o111:
            self.executables.add(name)
        return True
