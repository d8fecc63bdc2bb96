"""The place of a result: replace what lies there, and no file of anyone else."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Self

from nubbin.access import Access
from nubbin.documents.document import Document
from nubbin.documents.edits import Link
from nubbin.journal.mark import note_result
from nubbin.oracles.isolation.candidate_files import Files, write_files
from nubbin.reduction.result.on_disk import (
    ASIDE,
    NEW,
    OLD,
    Contents,
    Staging,
    contents_at,
    contents_of,
    document_of,
    lie_at,
    stamps_at,
    without_ctime,
)
from nubbin.reduction.result.output_path import backup_path
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError


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
                stamps = stamps_at(NEW, dir_fd=self._folder.descriptor)
                self._staging.put(NEW)
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
                write_files({NEW: data}, ".", dir_fd=self._folder.descriptor)
                self._give(document.name, NEW)
            else:
                written = self._staging.fill(contents)
                for place in written:
                    if not isinstance(contents[place], Link):
                        self._give(f"{document.name}/{place}", f"{NEW}/{place}")
                for place in _folders_of(written):  # nubbin must be able to write to them
                    self._give(f"{document.name}/{place}", f"{NEW}/{place}", 0o700)
            yield
        finally:
            with suppress(OSError):
                self._folder.remove([NEW])

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Add the place to errors of the system in the block."""
        try:
            yield
        except OSError as error:
            raise OSError(f"{self.path} cannot be written: {error}") from error

    def _give(self, path: str, place: str, more: int = 0) -> None:
        """Give a written file the access of the file at a path below the root."""
        source, is_top = self._root / path, place in {NEW, f"{NEW}/."}
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
            self._staging.take(ASIDE)
            if not self._is_ours(ASIDE, self._folder.descriptor):
                raise self._changed()
            self._folder.rename(ASIDE, OLD)

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
