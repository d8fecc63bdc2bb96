"""What is sent to somebody: beside the files of a result, how to run them, and with what."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nubbin.disk import write_whole
from nubbin.documents.document import Document
from nubbin.documents.file import Link
from nubbin.documents.trace import Trace
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.reduction.job import Job
from nubbin.reduction.result.drift import Printed
from nubbin.text.figures import count, counted

#: Files of so many lines in all stand in the README as well, which is then one block to paste.
_MAX_LINES = 60
REQUIREMENTS: Final = "requirements.txt"
NODE_PACKAGES: Final = "node-packages.txt"
SCRIPT: Final = "repro.sh"
#: What comes in the script before the conditions, as JSON, and before the versions.
FAILS: Final = "# It fails in this way: "
SEEN: Final = "# It was seen with "
_PROGRAM = re.compile(r"[\w.,/@%+:~-]+/bin/[\w.-]+")
_FENCE = re.compile("^`{3,}", re.MULTILINE)


def write_reproduction(job: Job, result: Document, said: Printed | None, *, minimal: bool) -> None:
    """Write README.md, the script that runs the command, and the pins beside the result.

    `said` is what the command prints of the failure. Raises OSError.
    """
    assert isinstance(job.test, ProjectTest)
    assert job.trace is not None
    folder = job.target.parent
    pins = {REQUIREMENTS: job.trace.requirements, NODE_PACKAGES: job.trace.node_packages}
    for name, lines in pins.items():
        if lines:
            write_whole(folder / name, _lines(lines))
    command = portable(job.test)
    script = [
        "#!/bin/sh",
        FAILS + json.dumps(job.test.conditions.to_json()),
        SEEN + _versions(job.trace),
        f'cd "$(dirname "$0")"/{shlex.quote(result.name)} || exit',
        command,
    ]
    write_whole(folder / SCRIPT, _lines(script), 0o777)
    write_whole(folder / "README.md", _lines(_readme(job, result, said, minimal)))


def portable(test: ProjectTest) -> str:
    """Return the command with the programs of virtual environments by their names alone."""

    def named(word: re.Match[str]) -> str:
        program = Path(test.folder, word[0])
        return program.name if (program.parents[1] / "pyvenv.cfg").is_file() else word[0]

    return _PROGRAM.sub(named, test.command)


def _readme(job: Job, result: Document, said: Printed | None, minimal: bool) -> Iterator[str]:
    assert isinstance(job.test, ProjectTest)
    assert job.trace is not None
    failure = said.now if said is not None and said.now else job.test.conditions.as_options()
    yield from (f"# {failure}", "", "This command fails:", "", f"    {portable(job.test)}", "")
    pinned = job.trace.requirements or job.trace.node_packages
    yield from ("Run it in an environment of its own:" if pinned else "Run it:", "", "```sh")
    if job.trace.requirements:
        yield "python -m venv env && . env/bin/activate"
        yield f"pip install -r {REQUIREMENTS}"
    if job.trace.node_packages:
        yield f"npm install --no-save --prefix {shlex.quote(result.name)} $(cat {NODE_PACKAGES})"
    yield from (f"sh {SCRIPT}", "```", "")
    yield from (f"Seen with {_versions(job.trace)}.", "")
    yield from _files(result)
    before, after = job.original, result
    yield (
        f"Of {counted(len(before.files), 'file')} with {count(before.sizes.bytes)} bytes, these "
        f"are left: {counted(len(after.files), 'file')} with {count(after.sizes.bytes)}."
        + (" Each of their files and statements is needed." if minimal else "")
    )


def _versions(trace: Trace) -> str:
    system = f"{platform.system()} {platform.machine()}"
    return ", ".join([system, *trace.programs, *trace.requirements, *trace.node_packages])


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


def _lines(lines: Iterator[str] | tuple[str, ...] | list[str]) -> bytes:
    return os.fsencode("".join(f"{line}\n" for line in lines))
