"""Find the place of the result, read what lies there, and tell whether it may be replaced."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from nubbin.disk import beginning
from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link
from nubbin.journal import reading
from nubbin.journal.mark import check_own, is_noted_result, opened
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.run_folders import folders_in, reduced_path
from nubbin.oracles.isolation.candidate_files import Origin
from nubbin.user_paths import MAX_BYTES, check_lookup, check_place
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError, OptionError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

#: Bytes by path below the place, a `Link` for a link; `.` is the place itself. None for anything
#: that is neither a file nor a link, or cannot be read.
Contents = Mapping[str, bytes | None]

#: The result of `lstat` for everything at a place: it differs after any change but the fastest.
Stamps = Mapping[str, tuple[int, ...]]


def output_path(document: Document, root: Path, output: Path | None, *, in_place: bool) -> Path:
    """Return the path of the result: `output`, the input itself, or NAME.reduced.EXT beside it.

    For a folder it is NAME.reduced; for several inputs `nubbin.reduced` in the folder that holds
    them. For a stream it is in the current folder. Raises NubbinError if a result there would
    replace the user's data, or cannot be written; OptionError for `output` and `in_place`.
    """
    if output is not None and in_place:
        raise OptionError("Give either --output or --in-place, not both.")
    source = root / document.name
    target = _input_itself(document, source) if in_place else output or _beside(document, root)
    is_folder = not document.is_single
    check_result_place(target, is_folder=is_folder)
    if in_place:
        return target
    if target.exists() and source.exists() and target.samefile(source):
        raise NubbinError(
            f"The result would replace the input {source}. To have that, with the original kept "
            f"as {backup_path(source).name}, use --in-place; else choose another --output."
        )
    if is_folder and output and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise NubbinError(
            f"The result is a folder, and {output} is there already. Name a folder that does not "
            f"exist or is empty."
        )
    return target


def check_result_place(place: Path, *, is_folder: bool) -> None:
    """Raise NubbinError if a result cannot be kept at a place."""
    check_place(place, is_folder=is_folder)
    _check_length(place, staging_path(place))


def _check_length(place: Path, beside: Path) -> None:
    try:
        check_lookup(beside)
    except NubbinError as error:
        raise NubbinError(
            f"{place} cannot be written: its name is too long for {beside.name}, which nubbin "
            "makes beside it. Name another place for the result, or give the input a shorter name."
        ) from error


def check_outside(place: Path, inputs: Iterable[Path]) -> None:
    """Raise NubbinError for a place inside one of the inputs, or that cannot be looked up."""
    check_lookup(place)
    for each in inputs:
        if each.is_dir() and each.resolve() in place.resolve().parents:
            raise NubbinError(
                f"{place} is in the input {each}, and would be part of it from then on. Name a "
                "place outside of it."
            )


def backup_path(source: Path) -> Path:
    """Return the path at which --in-place keeps the input: INPUT.orig."""
    return source.with_name(f"{source.name}.orig")


def staging_path(place: Path) -> Path:
    """Return the path of the hidden folder beside a place, in which its replacement is made."""
    return place.with_name(f".{place.name}.nubbin")


def _beside(document: Document, root: Path) -> Path:
    # A stream has no folder.
    source = (root if root.is_dir() else Path.cwd()) / document.name
    if document.name == ".":
        return source / "nubbin.reduced"
    if document.is_single:
        return reduced_path(source)
    return source.with_name(f"{source.name}.reduced")


def _input_itself(document: Document, source: Path) -> Path:
    if document.name == ".":
        raise NubbinError(
            "--in-place takes one file or one folder. Give the folder that holds the files, or "
            "leave out --in-place."
        )
    kept = backup_path(source)
    _check_length(source, kept)
    if os.path.lexists(kept):
        raise NubbinError(
            f"{kept} exists already, and --in-place would overwrite it with the input as it "
            f"is now. Move it away, or leave out --in-place."
        )
    return source


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


def check_replaceable(place: Path, found: Contents | None) -> None:
    """Raise NubbinError if `found`, at a place, is not an unchanged result of nubbin."""
    if not is_replaceable(place, found):
        raise NubbinError(
            f"There is something at {place} already that is not a result of nubbin, or was changed "
            "since. nubbin does not replace it. Move it away, or choose another output."
        )


def is_replaceable(place: Path, found: Contents | None, run: Path | None = None) -> bool:
    """Tell whether what was `found` at a place is a result that nubbin left there, unchanged.

    That is noted for the user, or known to `run`, or to a run recorded beside the place in a folder
    that only the user can write to. The journal has each byte, so `nubbin show` can restore them.
    Of a readable copy it has only the key, so such a run needs the mark of the user's key.
    """
    if found is None or None in found.values():
        return found is None
    noted = is_noted_result(place, document_of(place.name, found).key)
    return noted or _is_recorded(place, found, run)


def _is_recorded(place: Path, found: Contents, run: Path | None) -> bool:
    runs = folders_in(place.parent)
    if run is not None:
        runs.append(run)
    for each in runs:
        try:
            opened(each).close()
            with reading.reading(each) as store:
                facts = reading.facts(store, each)
                document = _read_back(place, found, facts, each)
                # Killed while the place was replaced, a run has left the candidate before its best.
                numbers = [
                    row.number
                    for row in reading.accepted_candidates(store, each)
                    if row.key == document.key
                ]
            if numbers:
                reading.candidate(each, numbers[0])  # raises if it has the key, and not the bytes
                return True
            if facts.readable_key == document.key.hex():
                if each != run:
                    check_own(each)
                return True
        except (NubbinError, OSError):
            continue
    return False


def _read_back(place: Path, found: Contents, facts: RunFacts, run: Path) -> Document:
    """Return the document that a run wrote to a place, with links as in its input."""
    document = document_of(facts.name, found)
    if not any(file.is_link for file in document.files):
        return document
    first = reading.candidate(run, 1)
    origin, at = Origin(facts.root, facts.name), os.fspath(place.absolute())

    def as_in_input(file: File) -> File:
        before = first.get(file.path)
        if isinstance(before, Link) and file.is_link:
            written = os.fsencode(origin.target_at(at, file.path, before))
            return file.with_data(before) if written == bytes(file.data) else file
        return file

    return document.each(as_in_input)
