"""Trace what a test uses of a project, and find the released package that equals it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import BadZipFile, ZipFile

from nubbin.documents.document import Document, Trace
from nubbin.documents.file import Link
from nubbin.journal.journal import SITE
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.tracing.traced_test import ANYWHERE, Tracer, Used
from nubbin.passes.grain import Grain
from nubbin.pattern import pattern
from nubbin.reduction.events import Observer, Traced
from nubbin.reduction.job import Job
from nubbin.reduction.pipeline import framework_of
from nubbin.reduction.start.open_job import OpenJob
from nubbin_core.waiting import run

_PACKAGE = "__init__.py"
_STARTUP = "sitecustomize.py"
#: The kinds of tests that `reduce` traces, and what the text of one names if it runs Python.
_COMMANDS: Final = frozenset({"command", "run"})
_PYTHON: Final = pattern(r"\bpy(?:thon|test|py)|\.py\b|\btox\b")


def traced(job: Job, tell: Observer, place: Path) -> tuple[Job, tuple[str, ...]]:
    """Return the job with a trace of its command, and the modules that Python imports, in order.

    Modules of the project are not among these. If the command imports the project from the user's
    own folder, because it is installed in editable mode, the test imports it from the copy instead.
    If the project is a released package, the test can also import that, from a folder in `place`.

    Costs one run; two for a project in editable mode.
    """
    assert isinstance(job.test, ProjectTest)
    paths = set(job.original.on_disk)
    used = used_by(job, job.original)
    imports = tuple(sorted(set(_imports(job, paths, used))))
    if imports:
        job = replace(job, test=replace(job.test, imports=imports))
        used = used_by(job, job.original)
    release = release_of(job.original, job.test.words[0], place)
    if release[0]:
        assert isinstance(job.test, ProjectTest)
        job = replace(job, test=replace(job.test, released=str(place / SITE)))
    job = _with_trace(job, used, tell, imports, release)
    return job, tuple(_modules(job, paths, used))


def with_python_traced(opened: OpenJob, tell: Observer) -> OpenJob:
    """Return the job with a trace of its test, if that runs Python on the modules of a folder.

    Costs one run then, and otherwise none. A test that runs elsewhere is not traced.
    """
    job, options = opened.job, opened.job.options
    is_in_trees = (
        options.smallest.upper() in Grain.__members__ and not framework_of(options.algorithm)[0]
    )
    is_here = options.cluster is None and options.executor is None
    modules = sum(file.path.endswith(".py") for file in job.original.texts)
    if not (is_in_trees and is_here and modules > 1 and job.test.kind in _COMMANDS):
        return opened
    written = replace(job.test, words=job.test.programs).scripts.values()
    if not any(map(_PYTHON.search, (*written, *(job.test.words if job.test.is_line else ())))):
        return opened
    return opened.doing(_with_trace(job, used_by(job, job.original), tell))


def _with_trace(
    job: Job,
    used: Used,
    tell: Observer,
    imports: tuple[str, ...] = (),
    release: tuple[str, frozenset[str]] = ("", frozenset()),
) -> Job:
    pin, released = release
    paths = set(job.original.on_disk)
    opened, looked_up = (_among(paths, each) for each in (used.opened, used.looked_up))
    outside = tuple(str(job.root / path) for path in sorted(_originals(job, paths, used)))
    tell(Traced(len(opened), len(paths), imports, outside, pin))
    ran = {path: tuple(sorted(used.ran[path])) for path in sorted(paths & used.ran.keys())}
    return replace(job, trace=Trace(opened, looked_up - opened, ran, released))


def used_by(job: Job, document: Document) -> Used:
    """Return what a run on a document uses; it runs on this machine, even if others do not."""
    found: list[Used] = []
    assert isinstance(job.test, RunTest | CommandTest)
    tracer = partial(Tracer, job.test, found.append)
    with LocalOracle(job.oracle_spec, job.limit, runner=tracer) as oracle:
        oracle.explain(document.contents)
    return found[-1]


def _among(paths: set[str], used: frozenset[str]) -> frozenset[str]:
    """Return the paths that were used. Of some used paths, only the end is known."""
    ends = tuple("/" + each.removeprefix(ANYWHERE) for each in used if each.startswith(ANYWHERE))
    return frozenset(path for path in paths if path in used or path.endswith(ends))


def _originals(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the files of the input that were opened in the user's own folder."""
    root = f"{job.root}/".replace("//", "/")
    return (path for each in used.opened if (path := each.removeprefix(root)) in paths - {each})


def _modules(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the modules that are neither part of the project nor inside one of its packages."""
    root = f"{job.root}/".replace("//", "/")
    outside = {"": True}
    for name, origin in used.modules.items():
        is_outside = origin.removeprefix(root) not in paths and Path(origin).name != _STARTUP
        outside[name] = is_outside and outside.get(name.rpartition(".")[0], False)
        if outside[name]:
            yield name


def _imports(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the project's folders whose modules Python imported from the user's own folder."""
    for path in _originals(job, paths, used):
        if path.endswith(".py"):
            folder = PurePosixPath(path).parent
            while str(folder / _PACKAGE) in paths:
                folder = folder.parent
            if folder.is_relative_to(job.original.name):
                yield str(folder.relative_to(job.original.name))


#: Where a project says what it is called and in which version, the surest first.
_ABOUT: Final = ("PKG-INFO", "pyproject.toml", "setup.cfg", "setup.py")
_NAME: Final = pattern(rb"""^[ \t]*name\s*[:=]\s*["']?([\w.-]+)""", re.I | re.M)
_VERSION: Final = pattern(
    rb"""^[ \t]*(?:__version__|version)\s*[:=]\s*["']?(\d[\w.!+-]*)""", re.I | re.M
)
#: Only wheels, because they run no code before nubbin has compared them with the project.
_DOWNLOAD: Final = (
    *("download", "-q", "--disable-pip-version-check", "--no-input", "--retries", "1"),
    *("--no-deps", "--only-binary", ":all:", "--ignore-requires-python"),
)
_MAX_DOWNLOAD_S: Final = 60.0
#: The names of folders with tests.
_TESTS: Final = frozenset({"test", "tests"})


def release_of(project: Document, command: str, place: Path) -> tuple[str, frozenset[str]]:
    """Return the pin of the release of a project, and the files of the project that it replaces.

    The release is unpacked in `place`. If there is none, the pin is "". Tests are not replaced.
    pip downloads the name and the version that the project says it has. Each file of the release
    must be equal to one of the project, so it fails in the same way, even if a stranger has
    released a package of this name. A file that the command names, such as a test in the package,
    is not unpacked, because the project's own file must run. Costs no run of the test, and up to a
    minute.
    """
    contents = {path: data for path, data in project.contents.items() if not isinstance(data, Link)}
    pip = shutil.which("pip") or shutil.which("pip3")
    about = [contents.get(f"{project.name}/{name}", b"") for name in _ABOUT]
    modules = (data for path, data in contents.items() if path.endswith("/__init__.py"))
    name = next(_found(_NAME, about), None)
    version = next(_found(_VERSION, [*about, *modules]), None)
    if pip is None or name is None or version is None:
        return "", frozenset()
    fails = (OSError, subprocess.TimeoutExpired, BadZipFile)
    with TemporaryDirectory(prefix="nubbin-release-") as temporary, suppress(*fails):
        pin = f"{name}=={version}"
        run([pip, *_DOWNLOAD, "-d", temporary, "--", pin], seconds=_MAX_DOWNLOAD_S)
        for wheel in Path(temporary).glob("*-none-any.whl"):  # none if pip has failed
            with ZipFile(wheel) as opened:
                own = _own_files(opened, contents)
                if own:
                    place.mkdir(mode=0o700, parents=True, exist_ok=True)
                    named = {each for each in own.values() if _names(command, each)}
                    unpacked = (each for each in opened.namelist() if each not in named)
                    opened.extractall(place / SITE, unpacked)
                    released = {path for path, each in own.items() if not _stays(each, named)}
                    return pin, frozenset(released)
    return "", frozenset()


def _found(expression: re.Pattern[bytes], texts: list[bytes]) -> Iterator[str]:
    return (found[1].decode() for text in texts if (found := expression.search(text)))


def _names(command: str, path: str) -> bool:
    """Tell whether a command names a file of a package by its path, or a test as a module."""
    is_test = "test" in path and path.removesuffix(".py").replace("/", ".") in command
    return path in command or is_test


def _stays(path: str, named: Collection[str]) -> bool:
    """Tell whether the command runs a file of a package, or a folder of tests holds it."""
    return path in named or not _TESTS.isdisjoint(PurePosixPath(path).parent.parts)


def _own_files(wheel: ZipFile, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the project's files that are in a wheel, with their paths there; {} if one differs."""
    files = [
        each
        for each in wheel.namelist()
        if not each.endswith("/") and not each.partition("/")[0].endswith(".dist-info")
    ]
    first = next((each for each in files if each.endswith(".py")), None)
    if first is None:
        return {}
    for path in contents:
        if path.endswith(f"/{first}"):
            above = path.removesuffix(first)
            if all(contents.get(above + each) == wheel.read(each) for each in files):
                return {above + each: each for each in files}
    return {}
