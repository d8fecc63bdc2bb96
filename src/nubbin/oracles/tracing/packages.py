"""Which packages and tools a run has used, in which versions, by the files that it opened.

What these say of themselves is data of strangers, and what is made of it a command line: only what
pip and npm allow as a name and a version is a pin.
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

#: What Python calls folders of installed packages.
_SITES: Final = frozenset({"site-packages", "dist-packages"})
#: How files are called that Python imports.
_IMPORTED: Final = frozenset({".py", ".pyc", ".so"})
#: What each Python of an environment imports as it starts, whatever it runs.
_AT_START: Final = ("_distutils_hack", "__editable__", "_virtualenv")
#: Where npm installs.
NODE_MODULES: Final = "node_modules"
#: Compilers and interpreters, and how they are asked for their versions.
_TOOLS: Final = {
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran"), "--version"),
    **dict.fromkeys(("make", "cmake", "rustc", "javac", "perl", "php", "ruby"), "--version"),
    "go": "version",
}
_MAX_VERSION_CHARACTERS: Final = 120
_MAX_BYTES: Final = 1 << 20  # of what says the name of a package
#: A pin of pip, by PEP 508 and PEP 440.
_PIN: Final = re.compile(
    r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?==v?(?:\d+!)?\d+(?:\.\d+)*"
    r"(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?"
    r"(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.ASCII | re.IGNORECASE,
)
#: A pin of npm: a name that it allows, old ones with capitals too, and a version by semver.org.
_NODE_PIN: Final = re.compile(
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
    """Return the first lines of what compilers and interpreters that ran say of themselves.

    `ask` runs a command as the run was, and returns what it prints. Asked is none of the project,
    nor one that anybody but root and the user may have put there.
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
    """Return the pins, as `click==8.1.7`, of the Python packages of which files were imported."""
    by_site: defaultdict[Path, set[PurePosixPath]] = defaultdict(set)
    for each in opened:
        path = Path(each)
        site = next((above for above in path.parents if above.name in _SITES), None)
        if site is not None and path.suffix in _IMPORTED:
            by_site[site].add(_source(PurePosixPath(path.relative_to(site))))
    return tuple(sorted({pin for site, files in by_site.items() for pin in _pins(site, files)}))


def _source(path: PurePosixPath) -> PurePosixPath:
    """Return the path of a module, of which perhaps the compiled file was opened."""
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
    """Return the pins, as `mocha@10.2.0`, of the packages of node of which files were opened.

    Those are left out that another package has for itself: they come with it.
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
