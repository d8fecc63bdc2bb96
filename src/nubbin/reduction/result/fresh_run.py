"""Does a reproduction fail in an environment that is made for it, as it says?"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.output import quoted
from nubbin.oracles.tracing.packages import NODE_MODULES
from nubbin.pattern import pattern
from nubbin.reduction.result.reproduction import (
    FAILS,
    NODE_PACKAGES,
    REQUIREMENTS,
    SCRIPT,
    SEEN,
)
from nubbin_core.errors import NubbinError
from nubbin_core.waiting import run

_GOES_INTO = pattern(r'^cd "\$\(dirname "\$0"\)"/(.+) \|\| exit$', re.MULTILINE)
_PYTHON = pattern(rf"^{SEEN}.*\bPython (\d+\.\d+)", re.MULTILINE)


def run_fresh(folder: Path, tell: Callable[[str], object]) -> None:
    """Run the script of a reproduction in a copy, with nothing but the packages that it pins.

    `tell` is told what is done. Raises NubbinError if it cannot be run, or does not fail in the way
    that it says.
    """
    script = folder / SCRIPT
    if not script.is_file():
        raise NubbinError(f"{folder} is not a reproduction of nubbin repro: it has no {SCRIPT}.")
    text = script.read_text(errors="surrogateescape")
    conditions = _conditions(script, text)
    with TemporaryDirectory(prefix="nubbin-repro-") as temporary:
        copy = Path(temporary, folder.resolve().name)
        shutil.copytree(folder, copy, symlinks=True, ignore=_installed)
        path = os.environ.get("PATH", os.defpath)
        kept = {"HOME", "LANG", "LC_ALL", "TERM"}
        environment = {name: value for name, value in os.environ.items() if name in kept}
        if (copy / REQUIREMENTS).is_file():
            tell(f"making an environment of {REQUIREMENTS} ...")
            made = Path(temporary, "env")
            _make([_python(text), "-m", "venv", str(made)], copy)
            pip = [str(made / "bin/python"), "-m", "pip", "install", "-q"]
            _make([*pip, "--disable-pip-version-check", "-r", REQUIREMENTS], copy)
            path = f"{made}/bin:{path}"
        if (copy / NODE_PACKAGES).is_file():
            tell(f"installing {NODE_PACKAGES} ...")
            inside = copy / _project(text)
            pins = (copy / NODE_PACKAGES).read_text().split()
            _make(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--", *pins], inside)
        tell(f"running {SCRIPT} ...")
        ran = run(["/bin/sh", SCRIPT], cwd=copy, env={**environment, "PATH": path})
    ended = Ended(ran.returncode, ran.stdout, ran.stderr)
    if why := conditions.refusal(ended) or conditions.other_error(ended):
        raise NubbinError(
            f"{folder} does not fail in a fresh environment as it says: it {why}."
            + quoted(ran.stdout + ran.stderr)
        )


def _conditions(script: Path, text: str) -> Conditions:
    try:
        said = next(line for line in text.splitlines() if line.startswith(FAILS))
        return Conditions.from_json(json.loads(said.removeprefix(FAILS)))
    except (StopIteration, ValueError, TypeError, NubbinError):
        raise NubbinError(
            f"{script} does not say how it fails: nubbin writes that into a line that "
            f"begins with {FAILS.strip()!r}. Make the reproduction again."
        ) from None


def _installed(folder: str, names: list[str]) -> set[str]:
    """Return what of a folder the steps in README.md have installed there."""
    of_node = {NODE_MODULES} if Path(folder).with_name(NODE_PACKAGES).is_file() else set()
    return of_node | {name for name in names if Path(folder, name, "pyvenv.cfg").is_file()}


def _project(text: str) -> str:
    """Return the folder of the project, into which the script goes."""
    found = _GOES_INTO.search(text)
    return shlex.split(found[1])[0] if found else "."


def _python(text: str) -> str:
    """Return the Python that a reproduction was seen with, or else any."""
    seen = _PYTHON.search(text)
    found = seen and shutil.which(f"python{seen[1]}")
    return found or shutil.which("python3") or sys.executable


def _make(command: Sequence[str], folder: Path) -> None:
    try:
        ran = run(command, cwd=folder, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        raise NubbinError(f"{command[0]} is not on the PATH, and the check needs it.") from None
    if ran.returncode:
        raise NubbinError(
            f"The environment cannot be made: {' '.join(command)} failed." + quoted(ran.stdout)
        )
