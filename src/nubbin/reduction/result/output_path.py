"""The path of the result, and the path at which the original is kept."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from nubbin.disk import check_place
from nubbin.documents.document import Document
from nubbin.oracles.processes.executable import check_lookup
from nubbin.reduction.result.staging import staging_path
from nubbin_core.errors import NubbinError


def output_path(document: Document, root: Path, output: Path | None, *, in_place: bool) -> Path:
    """Return the path of the result: `output`, the input itself, or NAME.reduced.EXT beside it.

    The result of a folder is NAME.reduced, that of several inputs `nubbin.reduced` in the folder
    that holds them, that of a stream is in the current folder. Raises NubbinError if writing there
    would cost the user data or cannot work.
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
        return source.with_name(f"{source.stem}.reduced{source.suffix}")
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
