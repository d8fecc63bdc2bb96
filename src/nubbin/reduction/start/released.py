"""The release that a project is, if it is one: what its own sources can be replaced by."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import BadZipFile, ZipFile

from nubbin.documents.document import Document
from nubbin.documents.file import Link
from nubbin.journal.journal import SITE
from nubbin.pattern import pattern
from nubbin_core.waiting import run

#: Where a project says what it is called and in which version, the surest first.
_ABOUT: Final = ("PKG-INFO", "pyproject.toml", "setup.cfg", "setup.py")
_NAME: Final = pattern(rb"""^[ \t]*name\s*[:=]\s*["']?([\w.-]+)""", re.I | re.M)
_VERSION: Final = pattern(
    rb"""^[ \t]*(?:__version__|version)\s*[:=]\s*["']?(\d[\w.!+-]*)""", re.I | re.M
)
#: Only what is no program is taken: nothing runs before it is known to be the project's own.
_DOWNLOAD: Final = (
    *("download", "-q", "--disable-pip-version-check", "--no-input", "--retries", "1"),
    *("--no-deps", "--only-binary", ":all:", "--ignore-requires-python"),
)
_MAX_DOWNLOAD_S: Final = 60.0
#: How folders of tests are called.
_TESTS: Final = frozenset({"test", "tests"})


@dataclass(frozen=True, slots=True)
class Release:
    """A package as released: its pin, the folder to import it from, and the project's own files.

    These are the paths of the files of the project that the release has as well, without tests.
    """

    pin: str
    folder: Path
    own: frozenset[str]


def release_of(project: Document, command: str, place: Path) -> Release | None:
    """Return the release that a project is, unpacked below `place`; None if it is none.

    It is downloaded by pip, as the project says what it is. Each file of the release must be one
    of the project, and the same: so its code is that of the project, and fails in the same
    way, even if a stranger has released a package of this name. Some packages hold their own tests:
    a file that the command names is not unpacked, because the project's own is to run. Costs no run
    of the test, and up to a minute.
    """
    contents = {path: data for path, data in project.contents.items() if not isinstance(data, Link)}
    pip = shutil.which("pip") or shutil.which("pip3")
    about = [contents.get(f"{project.name}/{name}", b"") for name in _ABOUT]
    modules = (data for path, data in contents.items() if path.endswith("/__init__.py"))
    name = next(_found(_NAME, about), None)
    version = next(_found(_VERSION, [*about, *modules]), None)
    if pip is None or name is None or version is None:
        return None
    with TemporaryDirectory(prefix="nubbin-release-") as temporary, suppress(OSError, BadZipFile):
        pin = f"{name}=={version}"
        if not _ends_well([pip, *_DOWNLOAD, "-d", temporary, "--", pin]):
            return None
        for wheel in Path(temporary).glob("*-none-any.whl"):
            with ZipFile(wheel) as opened:
                own = _own_files(opened, contents)
                if own:
                    place.mkdir(mode=0o700, parents=True, exist_ok=True)
                    named = {each for each in own.values() if _names(command, each)}
                    unpacked = (each for each in opened.namelist() if each not in named)
                    opened.extractall(place / SITE, unpacked)
                    released = {path for path, each in own.items() if not _stays(each, named)}
                    return Release(pin, place / SITE, frozenset(released))
    return None


def _found(expression: re.Pattern[bytes], texts: list[bytes]) -> Iterator[str]:
    return (found[1].decode() for text in texts if (found := expression.search(text)))


def _ends_well(command: list[str]) -> bool:
    with suppress(OSError, subprocess.TimeoutExpired):
        return run(command, seconds=_MAX_DOWNLOAD_S).returncode == 0
    return False


def _names(command: str, path: str) -> bool:
    """Tell whether a command names a file of a package by its path, or a test as a module."""
    is_test = "test" in path and path.removesuffix(".py").replace("/", ".") in command
    return path in command or is_test


def _stays(path: str, named: Collection[str]) -> bool:
    """Tell whether a file of a package is what the command runs, or lies among tests."""
    return path in named or not _TESTS.isdisjoint(PurePosixPath(path).parent.parts)


def _own_files(wheel: ZipFile, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the paths of a project's files that a wheel has, and what they are called there.

    None are returned if one of them differs.
    """
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
