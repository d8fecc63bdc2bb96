"""Choose the Python that calls a test function: the one of the user's project, if it has one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from nubbin.disk import is_of_the_system
from nubbin.oracles.processes.executable import interpreter_line
from nubbin.oracles.processes.supervisors import importing
from nubbin.pattern import pattern
from nubbin_core.errors import NubbinError

#: The name of a Python's file.
PYTHON = pattern(r"python[\d.]*")

# Another Python may have another version of nubbin, or none. It may be older than nubbin's own, if
# the module and its imports support it.
_CHECK = """import sys
if sys.version_info < (3, 9):
    sys.exit("This is Python %d.%d; nubbin needs 3.9 or newer." % sys.version_info[:2])
"""


def interpreter_for(folder: Path, named: str | None, program: str | None = None) -> str | None:
    """Return the path of the Python for the files in a folder; None for the one that runs nubbin.

    It is the first of these that exists: the one that is `named`, by a path or as a program on the
    PATH; the one of the active virtual environment (VIRTUAL_ENV); the one of the `.venv` in the
    folder or in one above it, unless others than the user and root may have changed it; the one
    that runs a `program` on the PATH, if given. Raises NubbinError if none has the name `named`.
    """
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise NubbinError(
                f"There is no Python interpreter {named}. Give the path of one, as "
                ".venv/bin/python, or the name of one on the PATH."
            )
        # Links are not resolved, because a virtual environment is made of them.
        return _unless_own(Path(found).absolute())
    active = os.environ.get("VIRTUAL_ENV")
    above = [each / ".venv" for each in (folder, *folder.parents)]
    for place in [Path(active)] if active else filter(_is_trusted, above):
        python = place / "bin" / "python"
        if (place / "pyvenv.cfg").is_file() and os.access(python, os.X_OK):
            return _unless_own(python)
    found = shutil.which(program) if program else None
    python_of = interpreter_of(Path(found)) if found else None
    return _unless_own(python_of) if python_of and os.access(python_of, os.X_OK) else None


def interpreter_of(script: Path) -> Path | None:
    """Return the Python in the first line of a script; None if it names anything else."""
    with suppress(OSError), script.open("rb") as opened:
        named = Path(*interpreter_line(opened.readline(1 << 10))[:1])
        if PYTHON.fullmatch(named.name) and named.is_absolute():
            return named
    return None


def _unless_own(python: Path) -> str | None:
    """Return the path of a Python; None if it is the one that runs nubbin, in its environment."""
    own = Path(sys.executable)
    is_own = python.parent.samefile(own.parent) and python.samefile(own)
    return None if is_own else str(python)


def _is_trusted(environment: Path) -> bool:
    """Tell whether only the user and root may have made or changed an environment."""
    return all(map(is_of_the_system, (environment / "pyvenv.cfg", environment / "bin" / "python")))


def server_command(interpreter: str | None, module: str, words: Sequence[str]) -> list[str]:
    """Return the command that starts a module of `nubbin.oracles.servers`, with these words."""
    # nubbin's own Python must be able to import all that nubbin can.
    more = [*filter(None, sys.path)] if interpreter is None else []
    call = f"sys.path += [each for each in {more!r} if each not in sys.path]\n{module}.main()"
    start = _CHECK + importing(f"servers import {module}", call)
    return [interpreter or sys.executable, "-c", start, *words]
