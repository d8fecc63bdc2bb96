"""Find the place of the result, and tell whether files there may be replaced."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from nubbin.disk import check_lookup, check_place
from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link
from nubbin.journal import reading
from nubbin.journal.mark import check_own, is_noted_result, opened
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.run_folders import folders_in, reduced_path
from nubbin.oracles.isolation.candidate_files import Origin
from nubbin.reduction.result.on_disk import Contents, document_of, staging_path
from nubbin_core.errors import NubbinError


def output_path(document: Document, root: Path, output: Path | None, *, in_place: bool) -> Path:
    """Return the path of the result: `output`, the input itself, or NAME.reduced.EXT beside it.

    For a folder it is NAME.reduced; for several inputs `nubbin.reduced` in the folder that holds
    them. For a stream it is in the current folder. Raises NubbinError if a result there would
    replace the user's data, or cannot be written.
    """
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
