"""Read the inputs that a user gives; an error is a paragraph that says what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.reading.from_disk import Inputs, read
from nubbin.user_paths import STREAM_NAME, descriptor_of, read_stream
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError, OptionError

_MAX_NAME_BYTES = 255


def read_inputs(
    given: StrPath | Sequence[StrPath],
    *,
    name: str | None = None,
    in_place: bool = False,
    all_files: bool = False,
) -> Inputs:
    """Read files and folders, or a stream, which becomes a file with this `name`.

    With `all_files`, a folder is read with its generated, installed and ignored files (see `read`).
    Raises NubbinError if an input cannot be read, or if `in_place` would replace a folder that has
    other files as well; OptionError for a stream with other inputs or `in_place`, and for a name
    without a stream; TypeError for what is no path.
    """
    paths = _paths(given)
    for each in paths:
        if (descriptor := descriptor_of(each)) is None:
            continue
        if len(paths) > 1:
            raise OptionError(f"The stream {each} cannot be one of several inputs.")
        if in_place:
            raise OptionError(f"--in-place needs a file to replace, and {each} is a stream.")
        return _of_stream(each, descriptor, STREAM_NAME if name is None else name)
    if name is not None:
        raise OptionError(f"--name is for an input that is a stream; {paths[0]} has its own name.")
    for each in paths:
        if not os.path.lexists(each):
            raise NubbinError(
                f"There is no input at {each}. Without --run, the test comes first: "
                "nubbin reduce TEST INPUT"
            )
    try:
        found = read(paths, all_files=all_files)
    except OSError as error:
        raise NubbinError(_unreadable(error)) from error
    if found.left_out:
        _check_left_out(found, paths[0], in_place=in_place)
    return found


def _paths(given: StrPath | Sequence[StrPath]) -> list[Path]:
    try:
        named = [given] if isinstance(given, str | os.PathLike) else list(given)
        paths = [Path(each) for each in named]
    except TypeError:
        text = f"input is a path, or several, not {given!r}; the test comes before it"
        raise TypeError(text) from None
    if not (named and all(map(os.fspath, named))):
        raise NubbinError("There is no input: give the path of a file or a folder to reduce.")
    return paths


def _check_left_out(found: Inputs, first: Path, *, in_place: bool) -> None:
    names = ", ".join(found.left_out)
    if not found.document.files:
        raise NubbinError(
            f"{first} has no other files than {names}. To reduce that, give --all-files."
        )
    if in_place:
        raise NubbinError(
            f"--in-place would replace {first} by a folder without files that are not input: "
            f"{names}. Leave out --in-place, and copy what you want from the result."
        )


def _of_stream(given: Path, descriptor: int, name: str) -> Inputs:
    if not _is_file_name(name):
        raise OptionError(f"--name {name!r} is not a name of a file: give one like small.c.")
    root = Path("/dev/stdin") if descriptor == 0 else given
    if os.isatty(descriptor):
        raise NubbinError(
            f"There is nothing to read: {root} is a terminal. Pipe the input into nubbin, or give "
            "the path of a file."
        )
    try:
        data = read_stream(descriptor)
    except OSError as error:
        raise NubbinError(f"The input {root} cannot be read: {error.strerror}.") from error
    return Inputs(Document.single(name, data), root)


def _is_file_name(name: str) -> bool:
    is_long = len(os.fsencode(name)) > _MAX_NAME_BYTES
    return not (is_long or name in {"", ".", ".."} or "/" in name or "\0" in name)


def _unreadable(error: OSError) -> str:
    path = error.filename
    match error.errno:
        case errno.EINVAL | errno.ENXIO:
            return f"The input {path} is neither a file nor a folder. Give what to reduce."
        case errno.EACCES | errno.EPERM:
            return f"The input {path} may not be read. Allow it: chmod +r {path}"
        case errno.ENAMETOOLONG:
            return (
                f"The input is nested too deeply: the system cannot open a path of "
                f"{len(os.fsencode(path))} bytes, {path[:60]}... Give a folder further down, or "
                "shorten the names."
            )
        case errno.ENOENT:
            return (
                f"The input {path} no longer exists, or leads nowhere. It may have been changed "
                "while it was read: start again when nothing changes it."
            )
        case _:
            return f"The input {path} cannot be read: {error.strerror}."
