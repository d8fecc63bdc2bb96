"""Can the system look a path up at all?"""

from __future__ import annotations

import os
from pathlib import Path

from nubbin.oracles.errors import NubbinError


def check_lookup(path: str | os.PathLike[str]) -> None:
    """Raise NubbinError if the system cannot tell whether anything is there, and say why.

    It cannot if a name is too long, if links lead in a circle, or if a folder on the way may not
    be entered. `Path.exists` says no to all of these from Python 3.14 on.
    """
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise NubbinError(
            f"The path {os.fspath(path)} cannot be looked up: {error.strerror}."
        ) from error
