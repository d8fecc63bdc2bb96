"""Write the reproduction of a failure in a project: files, command, packages; and check one."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from nubbin.access import Access
from nubbin.disk import write_whole
from nubbin.documents.document import Document
from nubbin.documents.edits import Link
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.output import quoted_output
from nubbin.oracles.tracing.packages import NODE_MODULES, node_packages, requirements
from nubbin.oracles.tracing.traced_test import Used
from nubbin.pattern import pattern
from nubbin.reduction.job import Job
from nubbin.reduction.result.drift import Printed
from nubbin.text.figures import count, counted
from nubbin_core.errors import NubbinError
from nubbin_core.waiting import run

#: The most lines of all files that are also in the README, which is then one text to paste.
_MAX_LINES = 60
#: The most packages that the README names.
_MAX_PACKAGES = 20
REQUIREMENTS: Final = "requirements.txt"
NODE_PACKAGES: Final = "node-packages.txt"
SCRIPT: Final = "repro.sh"
#: The beginnings of two lines of the script, before the conditions (as JSON) and the versions.
FAILS: Final = "# It fails in this way: "
SEEN: Final = "# It failed so with "
_PROGRAM = pattern(r"[\w.,/@%+:~-]+/bin/[\w.-]+")
_MARGIN = pattern("^E {2,}")  # of pytest
_FENCE = pattern("^`{3,}", re.MULTILINE)


def write_reproduction(
    job: Job, result: Document, used: Used, printed: Printed | None, *, minimal: bool
) -> None:
    """Write README.md, a script that runs the command, and the pins beside the result."""
    assert isinstance(job.test, ProjectTest)
    folder = job.target.parent
    pins = {REQUIREMENTS: requirements(used.opened), NODE_PACKAGES: node_packages(used.opened)}
    for name, packages in pins.items():
        if packages:
            write_whole(folder / name, _lines(packages))
    system = f"{platform.system()} {platform.machine()}"
    seen = ", ".join([system, *sorted(used.programs)])
    script = [
        "#!/bin/sh",
        FAILS + json.dumps(job.test.conditions.to_json()),
        SEEN + seen,
        f'cd "$(dirname "$0")"/{shlex.quote(result.name)} || exit',
        portable(job.test),
    ]
    write_whole(folder / SCRIPT, _lines(script), 0o777)
    text = [*_how_to_run(job.test, result, pins, seen, printed), *_files(result)]
    before, after = job.original, result
    text.append(
        f"Reduced from {counted(len(before.contents), 'file')} with {count(before.sizes.bytes)} "
        f"bytes to {counted(len(after.contents), 'file')} with {count(after.sizes.bytes)}."
        + (" Each of their files and statements is needed." if minimal else "")
    )
    readme = folder / "README.md"
    write_whole(readme, _lines(text), access=Access.to_all(job.shown, readme))


def portable(test: ProjectTest) -> str:
    """Return the command in which programs of virtual environments have no folders."""

    def named(word: re.Match[str]) -> str:
        program = Path(test.folder, word[0])
        return program.name if (program.parents[1] / "pyvenv.cfg").is_file() else word[0]

    return _PROGRAM.sub(named, test.command)


def _how_to_run(
    test: ProjectTest,
    result: Document,
    pins: dict[str, tuple[str, ...]],
    seen: str,
    printed: Printed | None,
) -> Iterator[str]:
    failure = printed.now if printed is not None and printed.now else test.conditions.as_options()
    yield from (
        f"# {_MARGIN.sub('', failure)}",
        "",
        "This command fails:",
        "",
        f"    {portable(test)}",
        "",
    )
    where = " in an environment of its own" if any(pins.values()) else ""
    yield from (f"Run it{where}:", "", "```sh")
    if pins[REQUIREMENTS]:
        yield "python -m venv env && . env/bin/activate"
        yield f"pip install -r {REQUIREMENTS}"
    if pins[NODE_PACKAGES]:
        prefix = shlex.quote(result.name)
        yield f"npm install --no-save --prefix {prefix} -- $(cat {NODE_PACKAGES})"
    yield from (f"sh {SCRIPT}", "```", "", f"Seen with {seen}.", "")
    for name, packages in pins.items():
        if 0 < len(packages) <= _MAX_PACKAGES:
            yield from (f"`{name}` has {', '.join(packages)}.", "")


def _files(result: Document) -> Iterator[str]:
    """Yield the files as blocks of Markdown, if they are few lines of text."""
    contents = {path: data for path, data in result.contents.items() if not isinstance(data, Link)}
    texts = {path: os.fsdecode(data) for path, data in contents.items()}
    lines = sum(text.count("\n") + 1 for text in texts.values())
    shown = "".join(chain.from_iterable(map(str.splitlines, texts.values())))
    if lines > _MAX_LINES or not shown.replace("\t", "").isprintable():
        return
    for path, text in texts.items():
        inside = path.removeprefix(f"{result.name}/")
        if not text.strip():
            yield from (f"`{inside}` is empty.", "")
            continue
        fence = max(("```", *(each + "`" for each in _FENCE.findall(text))), key=len)
        language = Path(path).suffix.removeprefix(".")
        yield from (f"`{inside}`:", "", fence + language, *text.rstrip().splitlines(), fence, "")


def _lines(lines: Iterable[str]) -> bytes:
    return os.fsencode("".join(f"{line}\n" for line in lines))


_GOES_INTO = pattern(r'^cd "\$\(dirname "\$0"\)"/(.+) \|\| exit$', re.MULTILINE)
_PYTHON = pattern(rf"^{SEEN}.*\bPython (\d+\.\d+)", re.MULTILINE)


def run_fresh(folder: Path, tell: Callable[[str], object]) -> None:
    """Run the script of a reproduction in a copy, with only the packages that it pins.

    `tell` gets a line before each step. Raises NubbinError if the script cannot be run, or does not
    fail in the way that it says.
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
            + quoted_output(ran.stdout + ran.stderr)
        )


def _conditions(script: Path, text: str) -> Conditions:
    try:
        line = next(line for line in text.splitlines() if line.startswith(FAILS))
        return Conditions.from_json(json.loads(line.removeprefix(FAILS)))
    except (StopIteration, ValueError, TypeError, NubbinError):
        raise NubbinError(
            f"{script} does not say how it fails: nubbin writes that into a line that "
            f"begins with {FAILS.strip()!r}. Make the reproduction again."
        ) from None


def _installed(folder: str, names: list[str]) -> set[str]:
    """Return the names in a folder that the steps in README.md have installed there."""
    of_node = {NODE_MODULES} if Path(folder).with_name(NODE_PACKAGES).is_file() else set()
    return of_node | {name for name in names if Path(folder, name, "pyvenv.cfg").is_file()}


def _project(text: str) -> str:
    found = _GOES_INTO.search(text)
    return shlex.split(found[1])[0] if found else "."


def _python(text: str) -> str:
    """Return a Python of the version that a reproduction failed with, or else any Python."""
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
            f"The environment cannot be made: {' '.join(command)} failed."
            + quoted_output(ran.stdout)
        )
