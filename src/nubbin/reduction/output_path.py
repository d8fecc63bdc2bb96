"""The path of the result, and the path at which the original is kept."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.lookup import check_lookup


def output_path(document: Document, root: Path, output: Path | None, *, in_place: bool) -> Path:
    """Return the path of the result: `output`, the input itself, or NAME.reduced.EXT beside it.

    The result of a folder is NAME.reduced, that of several inputs `nubbin.reduced` in the folder
    that holds them, that of a stream is in the current folder. Raises NubbinError if writing there
    would cost the user data or cannot work.
    """
    source = root / document.name
    target = _input_itself(document, source) if in_place else output or _beside(document, root)
    check_lookup(target)
    if not target.parent.is_dir():
        raise NubbinError(
            f"The result cannot be written: {target} is in a folder that does not exist."
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise NubbinError(
            f"The result cannot be written: the folder {target.absolute().parent} may not be "
            "written to. Allow it, or name another place for the result by --output."
        )
    if target.is_symlink():
        raise NubbinError(
            f"The result cannot be written: {target} is a link, to {os.path.realpath(target)}. "
            "Name the file or folder itself, or remove the link."
        )
    if target.is_mount():
        raise NubbinError(
            f"The result cannot be written: a file system is mounted at {target}, and the result "
            "has to replace what is there. Name a place in it."
        )
    if in_place:
        return target
    if target.exists() and source.exists() and target.samefile(source):
        raise NubbinError(
            f"The result would replace the input {source}. To have that, with the original kept "
            f"as {backup_path(source).name}, use --in-place; else choose another --output."
        )
    if document.is_single:
        if target.is_dir():
            raise NubbinError(
                f"The result cannot be written: {target} is a folder. Name a file to write."
            )
        # To replace it would remove the device.
        if target.exists() and not target.is_file():
            raise NubbinError(
                f"The result cannot be written: {target} is no file but a device or a pipe, and "
                f"the result has to replace what is there. Name a file to write."
            )
    elif output is not None and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise NubbinError(
            f"The result is a folder, and {output} is there already. Name a folder that does not "
            f"exist or is empty."
        )
    return target


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
    if os.path.lexists(kept):
        raise NubbinError(
            f"{kept} exists already, and --in-place would overwrite it with the input as it "
            f"is now. Move it away, or leave out --in-place."
        )
    return source
