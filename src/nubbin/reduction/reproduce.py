"""Reduce a project whose command fails to the smallest project with which it fails in that way."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import BadZipFile, ZipFile

from nubbin.disk import Folder
from nubbin.documents.document import Document
from nubbin.documents.edits import Link
from nubbin.documents.reading.from_disk import Inputs
from nubbin.journal import schema
from nubbin.journal.journal import SITE
from nubbin.journal.run_folders import kept_if_used, new_run
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern
from nubbin.reduction.events import Observer
from nubbin.reduction.options import Options
from nubbin.reduction.reduce import reduce_inputs
from nubbin.reduction.result.output_path import check_outside
from nubbin.reduction.run_job import Reduction
from nubbin.reduction.start.check import learned
from nubbin.reduction.start.inputs import read_inputs
from nubbin.reduction.start.known import Known
from nubbin.reduction.start.tracing import NO_RELEASE, PACKAGE, Release, traced, warmed
from nubbin.user_paths import check_place
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.waiting import run


def reproduce(
    command: str,
    folder: StrPath = ".",
    *,
    conditions: Conditions | None = None,
    output: StrPath | None = None,
    record: bool | StrPath = False,
    observers: Sequence[Observer] = (),
    options: Options,
) -> Reduction:
    """Reduce the project in a folder to the smallest in which a command fails as it does now.

    The shell runs `command` in copies of the folder, never in it. The `conditions` of the failure
    are learned if there are none. One run is traced, and the first query removes all files that it
    did not use; the trace changes only the order of queries. The result has whole statements, names
    and line breaks, for a person to read, unless the option `golf` is set. If the command only
    starts Python, runs are forks of a Python with its imports from outside the project, unless
    these fail in another way, or the option `cold` is set.

    The result is a folder in the new folder `output`, by default NAME-repro beside the project.
    With `record` the run is recorded in .nubbin in the project, or in the folder that it names.

    Costs one or two runs for the trace and three to compare forks, in addition to `nubbin.reduce`.
    Raises NubbinError as that does.
    """
    here = Path(folder).absolute()
    inside = Conditions() if conditions is None else conditions

    def take() -> tuple[UserTest, Inputs]:
        found = read_inputs(here, all_files=options.all_files)
        # No paths: the run is recorded in the project, and `_new` checks the place of the result.
        test = ProjectTest((command,), str(here), conditions=inside)
        return test, replace(found, paths=())

    with ExitStack() as stack:
        place = stack.enter_context(_made(_new(here, output)))
        if record is True:
            record = new_run(here, here.name)
            stack.enter_context(kept_if_used(record))
        learn = partial(_learned, place=stack.enter_context(_place_of_release(record)))
        smallest = "char" if options.golf else "tree"
        chosen = replace(options, smallest=smallest, output=place / here.name)
        return reduce_inputs(take, learn, record=record, observers=observers, options=chosen)


def _learned(known: Known, place: Path) -> Known:
    """Return the job with a trace and conditions, and with forks if they are faster.

    If the project is a released package, the test can also import that, from a folder in `place`.
    """
    options = known.job.options
    release = release_of(known.job.original, known.job.test.words[0], place)
    job, modules = traced(known.job, known.tell, release)
    if release.pin:
        assert isinstance(job.test, ProjectTest)
        job = replace(job, test=replace(job.test, released=str(place / SITE)))
    if not options.golf:
        # Golf makes a text harder to read.
        without = tuple(dict.fromkeys(each.name for each in job.passes() if each.is_golf))
        job = replace(job, options=replace(options, without=without))
    try:
        known = learned(known.of_job(job))
    except NubbinError as error:
        raise NubbinError(f"{error}\n\n{_COPY}") from error
    return known if options.cold else replace(known, job=warmed(known.job, modules, known.tell))


def _new(project: Path, output: StrPath | None) -> Path:
    """Return the place of the reproduction; raises NubbinError for one that is in the project."""
    if output is not None:
        check_outside(Path(output), [project])
        return Path(os.path.abspath(output))  # links stay links  # noqa: PTH100
    names = chain([""], (f"-{number}" for number in count(2)))
    places = (project.with_name(f"{project.name}-repro{name}") for name in names)
    return next(place for place in places if not os.path.lexists(place))


@contextmanager
def _place_of_release(record: bool | StrPath) -> Iterator[Path]:
    """Yield the folder of a run, which needs the release to be resumed, or a temporary one."""
    if isinstance(record, bool):
        with TemporaryDirectory(prefix="nubbin-release-") as temporary:
            yield Path(temporary)
        return
    try:
        yield Path(record)
    finally:
        if not Path(record, schema.FILE).exists():
            shutil.rmtree(Path(record, SITE), ignore_errors=True)


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    check_place(folder, is_folder=True)
    if folder.is_dir() and any(folder.iterdir()):
        raise NubbinError(f"{folder} is there already. Name a folder that does not exist.")
    Folder.made(folder).close()
    try:
        yield folder
    finally:
        with suppress(OSError):  # it is not empty
            folder.rmdir()


_COPY: Final = (
    "It ran in a copy of the folder. If it fails in the folder itself, the copy lacks something. "
    "That can be .git, files beside the folder, or files that .gitignore names: --all-files takes "
    "them in, or the command can build them."
)


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


def release_of(project: Document, command: str, place: Path) -> Release:
    """Find the release of a project, and unpack it in `place`. Tests are not replaced.

    pip downloads the name and the version that the project says it has. Each file of the release
    must be equal to one of the project, so it fails in the same way, even if a stranger has
    released a package of this name. A file that the command names, such as a test in the package,
    is not unpacked, because the project's own file must run. Costs no run of the test, and up to a
    minute.
    """
    contents = {path: data for path, data in project.contents.items() if not isinstance(data, Link)}
    pip, pin = shutil.which("pip") or shutil.which("pip3"), _pin_of(project.name, contents)
    if pip is None or pin is None:
        return NO_RELEASE
    fails = (OSError, subprocess.TimeoutExpired, BadZipFile)
    with TemporaryDirectory(prefix="nubbin-release-") as temporary, suppress(*fails):
        run([pip, *_DOWNLOAD, "-d", temporary, "--", pin], seconds=_MAX_DOWNLOAD_S)
        for wheel in Path(temporary).glob("*-none-any.whl"):  # none if pip has failed
            with ZipFile(wheel) as opened:
                if own := _own_files(opened, contents):
                    return Release(pin, _unpacked(opened, own, command, place))
    return NO_RELEASE


def _pin_of(name: str, contents: Mapping[str, bytes]) -> str | None:
    """Return the pin that the files of a project state, if they do."""
    about = [contents.get(f"{name}/{each}", b"") for each in _ABOUT]
    modules = (data for path, data in contents.items() if path.endswith(f"/{PACKAGE}"))
    package = next(_found(_NAME, about), None)
    version = next(_found(_VERSION, [*about, *modules]), None)
    return None if package is None or version is None else f"{package}=={version}"


def _unpacked(wheel: ZipFile, own: Mapping[str, str], command: str, place: Path) -> frozenset[str]:
    """Unpack a wheel that has the project's `own` files; return those that it replaces."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    named = {each for each in own.values() if _names(command, each)}
    wheel.extractall(place / SITE, (each for each in wheel.namelist() if each not in named))
    return frozenset(path for path, each in own.items() if not _stays(each, named))


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
