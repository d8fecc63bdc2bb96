"""Find the packages and tools that a run has used, with their versions, from the files it opened.

Strangers write these names and versions, and they become a command line. So only a name and a
version that pip or npm allows is a pin.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from nubbin.disk import beginning, is_of_the_system
from nubbin.pattern import pattern

#: Folders of packages that are installed for Python.
_SITES: Final = frozenset({"site-packages", "dist-packages"})
#: The suffixes of files that Python imports.
_IMPORTED: Final = frozenset({".py", ".pyc", ".so"})
#: Imported by each Python of an environment as it starts, whatever it runs.
_AT_START: Final = ("_distutils_hack", "__editable__", "_virtualenv")
#: Where npm installs.
NODE_MODULES: Final = "node_modules"
#: Compilers and interpreters, and the word that makes them print their version.
_TOOLS: Final = {
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran"), "--version"),
    **dict.fromkeys(("make", "cmake", "rustc", "javac", "perl", "php", "ruby"), "--version"),
    "go": "version",
}
_MAX_VERSION_CHARACTERS: Final = 120
_MAX_BYTES: Final = 1 << 20  # of a package.json
#: A pin of pip, by PEP 508 and PEP 440.
_PIN: Final = pattern(
    r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?==v?(?:\d+!)?\d+(?:\.\d+)*"
    r"(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?"
    r"(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.ASCII | re.IGNORECASE,
)
#: A pin of npm: a name that it allows, with capitals in old ones, and a version by semver.org.
_NODE_PIN: Final = pattern(
    r"(?:@[\w~-][\w.~-]*/)?[a-z0-9][\w.~-]{,213}"
    r"@\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?",
    re.ASCII | re.IGNORECASE,
)


class _Package(msgspec.Struct):
    name: str
    version: str


def tools(
    executed: Iterable[str], project: str, ask: Callable[[Sequence[str]], bytes]
) -> frozenset[str]:
    """Return the first line that each compiler and interpreter of a run prints about its version.

    `ask` runs a command under the conditions of the run, and returns its output. It runs no program
    of the project, nor one that others than root and the user may have put there.
    """
    found = set[str]()
    for path in executed:
        option, real = _TOOLS.get(Path(path).name), os.path.realpath(path)
        is_own = not Path(path).is_absolute() or any(
            each.startswith(f"{os.path.realpath(project)}/") for each in (path, real)
        )
        if option and not is_own and is_of_the_system(path):
            said = ask([path, option]).decode(errors="replace").strip()
            found.update(line[:_MAX_VERSION_CHARACTERS] for line in said.splitlines()[:1])
    return frozenset(filter(str.isprintable, found))


def requirements(opened: Iterable[str]) -> tuple[str, ...]:
    """Return the pins, such as `click==8.1.7`, of the Python packages whose files were imported."""
    by_site: defaultdict[Path, set[PurePosixPath]] = defaultdict(set)
    for each in opened:
        path = Path(each)
        site = next((above for above in path.parents if above.name in _SITES), None)
        if site is not None and path.suffix in _IMPORTED:
            by_site[site].add(_source(PurePosixPath(path.relative_to(site))))
    return tuple(sorted({pin for site, files in by_site.items() for pin in _pins(site, files)}))


def _source(path: PurePosixPath) -> PurePosixPath:
    """Return the source path of a module, whose compiled file may have been opened."""
    if path.parent.name != "__pycache__":
        return path
    return path.parent.parent / f"{path.name.partition('.')[0]}.py"


def _pins(site: Path, files: set[PurePosixPath]) -> Iterator[str]:
    from importlib.metadata import distributions  # noqa: PLC0415 - few runs need it

    used = {file for file in files if not file.parts[0].startswith(_AT_START)}
    for each in distributions(path=[str(site)]):
        pin = f"{each.metadata['Name']}=={each.version}"
        if _PIN.fullmatch(pin) and used.intersection(map(PurePosixPath, each.files or ())):
            yield pin


def node_packages(opened: Iterable[str]) -> tuple[str, ...]:
    """Return the pins, such as `mocha@10.2.0`, of the packages of node whose files were opened.

    Packages inside another package are left out, because they are installed with it.
    """
    folders = set[Path]()
    for each in opened:
        parts = Path(each).parts
        if parts.count(NODE_MODULES) == 1:
            first = parts.index(NODE_MODULES) + 1
            last = first + (2 if parts[first:] and parts[first].startswith("@") else 1)
            if len(parts) > last:
                folders.add(Path(*parts[:last]))
    return tuple(sorted(set(filter(None, map(_node_pin, folders)))))


def _node_pin(folder: Path) -> str:
    data = beginning(os.path.realpath(folder / "package.json"), _MAX_BYTES) or b""
    with suppress(msgspec.MsgspecError, RecursionError):
        about = msgspec.json.decode(data, type=_Package)
        pin = f"{about.name}@{about.version}"
        return pin if _NODE_PIN.fullmatch(pin) else ""
    return ""
