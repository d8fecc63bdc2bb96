"""The inputs that a user gives: read from disk, or refused in a paragraph."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from nubbin.documents.reading import Inputs, read
from nubbin.oracles.candidate_files import StrPath
from nubbin.oracles.errors import NubbinError


def read_inputs(given: StrPath | Sequence[StrPath], *, in_place: bool = False) -> Inputs:
    """Read a file, a folder or several of them.

    Raises NubbinError for what cannot be read, and if `in_place` would replace a folder that holds
    more than the reduction reads.
    """
    inputs = [Path(each) for each in ([given] if isinstance(given, str | os.PathLike) else given)]
    if not inputs:
        raise NubbinError("There is no input: give the path of a file or a folder to reduce.")
    for each in inputs:
        if not os.path.lexists(each):
            raise NubbinError(
                f"There is no input at {each}. The test comes first and the input second: "
                "nubbin reduce TEST INPUT"
            )
    try:
        found = read(inputs)
    except OSError as error:
        raise NubbinError(_told(error)) from error
    if in_place and found.left_out:
        raise NubbinError(
            f"--in-place would replace {inputs[0]} by a folder without what is not reduced: "
            f"{', '.join(found.left_out)}. Leave out --in-place, and copy what you want from the "
            "result."
        )
    return found


def _told(error: OSError) -> str:
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
                f"The input {path} is gone, or leads nowhere. Something may have changed the input "
                "while it was read: start again when nothing does."
            )
        case _:
            return f"The input {path} cannot be read: {error.strerror}."
