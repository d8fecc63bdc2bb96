"""Which Python calls a test that is a function: that of the user's project, if it has one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from nubbin.errors import NubbinError

# Another Python may have another version of nubbin, or none. It is older than nubbin's own at most
# by what `zygote` and its imports can do with.
_START = """import sys
if sys.version_info < (3, 9):
    sys.exit("This is Python %d.%d; a test needs 3.9 or newer." % sys.version_info[:2])
sys.path = [{nubbin!r}, *filter(None, sys.path)]
from nubbin.oracles.servers import zygote
del sys.path[0]
zygote.main()"""
_NUBBIN = str(Path(__file__).parents[3])


def interpreter_for(file: Path, named: str | None) -> str | None:
    """Return the path of the Python for a file; None for the one that runs nubbin.

    It is the one that is `named`, by a path or as a program of the PATH; else that of the active
    virtual environment (VIRTUAL_ENV); else that of the `.venv` beside the file or in a folder above
    it, if its owner is that of the file, the user or root: nobody else's code is run. Raises
    NubbinError if there is none of that name.
    """
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise NubbinError(
                f"There is no Python interpreter {named}. Give the path of one, as "
                ".venv/bin/python, or the name of one on the PATH."
            )
        # Links stay links: a virtual environment is made of them.
        path = str(Path(found).absolute())
        return None if path == sys.executable else path
    active = os.environ.get("VIRTUAL_ENV")
    above = (folder / ".venv" for folder in file.parents)
    for place in [Path(active)] if active else filter(partial(_is_trusted, file), above):
        python = place / "bin" / "python"
        if (place / "pyvenv.cfg").is_file() and os.access(python, os.X_OK):
            return None if place.samefile(sys.prefix) else str(python)
    return None


def _is_trusted(file: Path, environment: Path) -> bool:
    """Tell whether who could have changed an environment may run code as the user anyway."""
    with suppress(OSError):
        return environment.stat().st_uid in {file.stat().st_uid, os.getuid(), 0}
    return False


def zygote_command(interpreter: str | None, words: Sequence[str]) -> list[str]:
    """Return the command that starts `nubbin.oracles.servers.zygote`.

    `words` are a file, a function of it, and what this is given after its candidate.
    """
    # What nubbin can import, its own Python can.
    path = os.pathsep.join(sys.path) if interpreter is None else ""
    return [interpreter or sys.executable, "-c", _START.format(nubbin=_NUBBIN), path, *words]
