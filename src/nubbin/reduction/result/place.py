"""The place of a result, and the hidden folder from which files there are replaced."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Final, Self

from nubbin.access import Access
from nubbin.disk import Folder, NotOurs
from nubbin.documents.document import Document
from nubbin.documents.edits import Link
from nubbin.journal.mark import note_result
from nubbin.oracles.isolation.candidate_files import Files, update, write_files
from nubbin.reduction.result.output_path import (
    Contents,
    Stamps,
    backup_path,
    contents_at,
    contents_of,
    document_of,
    lie_at,
    staging_path,
    stamps_at,
    without_ctime,
)
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError

#: The names in the hidden folder: the replacement; the old result, before and after it is
#: recognised as such; and the old result when the next one is made from it.
_NEW: Final = "new"
_ASIDE: Final = "aside"
_OLD: Final = "old"
_SPARE: Final = "spare"
_LOCK = "lock"
_MARK = b"nubbin "  # begins the lock: a folder with other things in it is not ours
_MAX_WHO_BYTES = 100


class OutputChanged(NubbinError):
    """Another process has written to the place of the result, and nubbin does not replace that."""


class ResultPlace:
    """The file or folder that always has the smallest accepted candidate. A context manager.

    The place is locked until `close`, so that no other run writes there. What is there at first is
    replaced, so check `found` before; what another process writes there later is kept. With
    `original`, the input itself is there, and is renamed to INPUT.orig when it is first replaced.

    A file is replaced atomically: every reader, also after a crash, finds a whole candidate. A
    folder is first moved away, and moved back if that is interrupted. Files are as private as those
    below `root` that they are made from, and for the user alone if there are none.
    """

    def __init__(self, root: Path, target: Path, *, original: Document | None = None):
        self.path = target
        self._root = root
        self._original = original
        with self._telling(), ExitStack() as stack:
            self._staging = stack.enter_context(closing(Staging(target)))
            self._stamps = stamps_at(target)
            #: The contents at first; None for the input itself, which is compared when it is moved.
            self.found = None if original else contents_at(target)
            stack.pop_all()
        self._ours: list[Contents | None] = [self.found]
        self._written: Files = {}
        self._folder = self._staging.folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the place, and note what this run left there."""
        if self._written:
            note_result(self.path, document_of(self.path.name, self._written).key)
        self._staging.close()

    def write(self, document: Document) -> None:
        """Replace the contents, or leave them as they are; raises OSError and OutputChanged."""
        contents = contents_of(document, self.path, self._root)
        before, self._written = (self._written, self._stamps), {}
        with self._telling(), self._making(document, contents):
            # If this is interrupted from here on, either may be there.
            self._ours.append(contents)
            try:
                self._make_way(document)
                stamps = stamps_at(_NEW, dir_fd=self._folder.descriptor)
                self._staging.put(_NEW)
            except BaseException:
                self._bring_back()
                raise
            self._original = None
            self._ours = [contents]
            # A file that another process has put there must not count as ours.
            now = stamps_at(self.path)
            self._stamps = now if without_ctime(now) == without_ctime(stamps) else stamps
            self._staging.keep_spare(*before)
            self._written = contents

    def confirm(self, document: Document) -> None:
        """Write the document unless it is at the place; raises OutputChanged and OSError."""
        contents = contents_of(document, self.path, self._root)
        if lie_at(self.path, contents):
            return
        self.write(document)
        if not lie_at(self.path, contents):
            raise self._changed()

    @contextmanager
    def _making(self, document: Document, contents: Files) -> Iterator[None]:
        """Write a document to the staging folder; remove it afterwards unless it was moved."""
        self._staging.undo()
        try:
            if document.packed.is_single:
                data = document.contents[document.name]
                write_files({_NEW: data}, ".", dir_fd=self._folder.descriptor)
                self._give(document.name, _NEW)
            else:
                written = self._staging.fill(contents)
                for place in written:
                    if not isinstance(contents[place], Link):
                        self._give(f"{document.name}/{place}", f"{_NEW}/{place}")
                for place in _folders_of(written):  # nubbin must be able to write to them
                    self._give(f"{document.name}/{place}", f"{_NEW}/{place}", 0o700)
            yield
        finally:
            with suppress(OSError):
                self._folder.remove([_NEW])

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Add the place to errors of the system in the block."""
        try:
            yield
        except OSError as error:
            raise OSError(f"{self.path} cannot be written: {error.__cause__ or error}") from error

    def _give(self, path: str, place: str, more: int = 0) -> None:
        """Give a written file the access of the file at a path below the root."""
        source, is_top = self._root / path, place in {_NEW, f"{_NEW}/."}
        access = Access.to_all([source], self.path) if is_top else Access.of(source)
        access.give(place, dir_fd=self._folder.descriptor, more=more)

    def _make_way(self, document: Document) -> None:
        """Clear the place for a rename; raises OutputChanged if its contents are not ours."""
        if self._original is not None:
            self._keep_original(self._original)
        elif document.packed.is_single:
            if not self._is_ours(self.path):
                raise self._changed()
        elif os.path.lexists(self.path):
            # It is moved before it is read, so that no process can write to it by its name.
            self._staging.take(_ASIDE)
            if not self._is_ours(_ASIDE, self._folder.descriptor):
                raise self._changed()
            self._folder.rename(_ASIDE, _OLD)

    def _bring_back(self) -> None:
        """Move the old contents back to their place, unless something else is there now."""
        self._staging.bring_back()
        kept = backup_path(self.path)
        if self._original is None or not os.path.lexists(kept):
            return
        if not os.path.lexists(self.path):
            kept.rename(self.path)
        elif kept.samefile(self.path):
            kept.unlink()
        else:  # interrupted after it was replaced
            self._original = None

    def _is_ours(self, place: StrPath, dir_fd: int | None = None) -> bool:
        """Tell whether a place is empty, or has what this run wrote; reads if stamps differ."""
        stamps = stamps_at(place, dir_fd=dir_fd)
        if not stamps or stamps == self._stamps:
            return True
        return any(lie_at(place, each, dir_fd=dir_fd) for each in self._ours if each is not None)

    def _keep_original(self, original: Document) -> None:
        """Rename the input to INPUT.orig, with its permissions and all that is in it."""
        kept = backup_path(self.path)
        if os.path.lexists(kept):
            raise NubbinError(f"{kept} exists already, and is not overwritten. Move it away.")
        try:
            # It has both names until it is replaced.
            os.link(self.path, kept, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # it is a folder, or the file system has no such links
            self.path.rename(kept)
        if not lie_at(kept, contents_of(original, self.path, self._root)):
            raise NubbinError(
                f"{self.path} has changed while nubbin read it and checked the test. nubbin does "
                "not replace it. Start again when no other process writes there."
            )

    def _changed(self) -> OutputChanged:
        return OutputChanged(
            f"Another process has written to {self.path} during the run. nubbin does not replace "
            "it."
        )


def _folders_of(paths: Collection[str]) -> set[str]:
    return {folder.as_posix() for path in paths for folder in PurePosixPath(path).parents}


class Staging:
    """A folder `.NAME.nubbin` beside a place; only the process that locks it may write there.

    The replacement is made as `new`. A folder at the place is first moved to `aside`, and to `old`
    when it is known to be nubbin's own; then it becomes the `spare`, from which the next one is
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
        if self.folder.has(_ASIDE):
            self.close()
            raise NubbinError(
                f"A run of nubbin was killed while it replaced {place}, and another process has "
                f"written there since. What lay there before is in {self.folder.path / _ASIDE}. "
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
        for each in (_ASIDE, _OLD):
            if self.folder.has(each) and not os.path.lexists(self._place):
                self.put(each)

    def keep_spare(self, contents: Files, stamps: Stamps) -> None:
        """Keep `old` as `spare` if it still has these contents and stamps, otherwise remove it."""
        self.folder.remove([_SPARE])
        if contents and stamps_at(_OLD, dir_fd=self.folder.descriptor) == stamps:
            self.folder.rename(_OLD, _SPARE)
            self._spare = contents, stamps
        else:
            self.folder.remove([_OLD])

    def fill(self, contents: Files) -> Collection[str]:
        """Make the folder `new` with these contents, from `spare` if that has not been changed.

        Two results differ in few of their files, and equal files are not written again. Returns the
        paths of the files that are written.
        """
        (before, stamps), self._spare = self._spare, ({}, {})
        inside = self.folder.descriptor
        if stamps and stamps_at(_SPARE, dir_fd=inside) == stamps:
            self.folder.rename(_SPARE, _NEW)
        else:
            before = {}
            os.mkdir(_NEW, dir_fd=inside)
        return update(_NEW, before, contents, dir_fd=inside)

    def undo(self) -> None:
        """Undo an unfinished replacement, and remove its remains, but no file of anyone else."""
        self.bring_back()
        self.folder.remove_left(_NEW, _OLD)

    def _clear(self) -> None:
        self.undo()
        self.folder.remove([_SPARE])


def _hold(path: Path, place: Path) -> tuple[Folder, int]:
    while True:
        if not place.parent.is_dir():
            raise NubbinError(f"{place} cannot be written: make the folder {place.parent} again.")
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
