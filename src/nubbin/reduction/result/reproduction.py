"""What is sent to somebody: beside the files of a result, how to run them, and with what."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from nubbin.access import Access
from nubbin.disk import write_whole
from nubbin.documents.document import Document
from nubbin.documents.file import Link
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.tracing.notes import Used
from nubbin.oracles.tracing.packages import node_packages, requirements
from nubbin.pattern import pattern
from nubbin.reduction.job import Job
from nubbin.reduction.result.drift import Printed
from nubbin.text.figures import count, counted

#: Files of so many lines in all stand in the README as well, which is then one block to paste.
_MAX_LINES = 60
#: As many packages are named there.
_MAX_PACKAGES = 20
REQUIREMENTS: Final = "requirements.txt"
NODE_PACKAGES: Final = "node-packages.txt"
SCRIPT: Final = "repro.sh"
#: What comes in the script before the conditions, as JSON, and before the versions.
FAILS: Final = "# It fails in this way: "
SEEN: Final = "# It failed so with "
_PROGRAM = pattern(r"[\w.,/@%+:~-]+/bin/[\w.-]+")
_MARGIN = pattern("^E {2,}")  # of pytest
_FENCE = pattern("^`{3,}", re.MULTILINE)


def write_reproduction(
    job: Job, result: Document, used: Used, said: Printed | None, *, minimal: bool
) -> None:
    """Write README.md, the script that runs the command, and the pins beside the result.

    `used` is what a run on the result has used, and `said` what it prints of the failure. Raises
    OSError.
    """
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
    text = [*_how_to_run(job.test, result, pins, seen, said), *_files(result)]
    before, after = job.original, result
    text.append(
        f"Reduced from {counted(len(before.contents), 'file')} with {count(before.sizes.bytes)} "
        f"bytes to {counted(len(after.contents), 'file')} with {count(after.sizes.bytes)}."
        + (" Each of their files and statements is needed." if minimal else "")
    )
    readme = folder / "README.md"
    write_whole(readme, _lines(text), access=Access.to_all(job.shown, readme))


def portable(test: ProjectTest) -> str:
    """Return the command with the programs of virtual environments by their names alone."""

    def named(word: re.Match[str]) -> str:
        program = Path(test.folder, word[0])
        return program.name if (program.parents[1] / "pyvenv.cfg").is_file() else word[0]

    return _PROGRAM.sub(named, test.command)


def _how_to_run(
    test: ProjectTest,
    result: Document,
    pins: dict[str, tuple[str, ...]],
    seen: str,
    said: Printed | None,
) -> Iterator[str]:
    failure = said.now if said is not None and said.now else test.conditions.as_options()
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
    if lines > _MAX_LINES or not all(text.replace("\t", "").isprintable() for text in _each(texts)):
        return
    for path, text in texts.items():
        inside = path.removeprefix(f"{result.name}/")
        if not text.strip():
            yield from (f"`{inside}` is empty.", "")
            continue
        fence = max(("```", *(each + "`" for each in _FENCE.findall(text))), key=len)
        language = Path(path).suffix.removeprefix(".")
        yield from (f"`{inside}`:", "", fence + language, *text.rstrip().splitlines(), fence, "")


def _each(texts: dict[str, str]) -> Iterator[str]:
    for text in texts.values():
        yield from text.splitlines()


def _lines(lines: Iterable[str]) -> bytes:
    return os.fsencode("".join(f"{line}\n" for line in lines))
