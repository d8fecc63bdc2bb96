"""Which packages and tools a run has used, in which versions, by the files that it opened."""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.metadata import Distribution

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
_MAX_VERSION_S: Final = 5.0


def tools(opened: Iterable[str]) -> tuple[str, ...]:
    """Return the first lines of what the compilers and interpreters say of themselves that ran."""
    found = set[str]()
    for path in opened:
        option = _TOOLS.get(Path(path).name)
        if option and Path(path).is_absolute() and os.access(path, os.X_OK):
            with suppress(OSError, subprocess.TimeoutExpired):
                said = subprocess.run(
                    [path, option],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=_MAX_VERSION_S,
                    check=False,
                ).stdout.decode(errors="replace")
                found.update(said.strip().splitlines()[:1])
    return tuple(sorted(found))


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
        if _name(each) and used.intersection(map(PurePosixPath, each.files or ())):
            yield f"{_name(each)}=={each.version}"


def _name(package: Distribution) -> str:
    name: str | None = package.metadata["Name"]
    return name or ""


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
    with suppress(OSError, ValueError):
        about = json.loads((folder / "package.json").read_text())
        if isinstance(about, dict) and {"name", "version"} <= about.keys():
            return f"{about['name']}@{about['version']}"
    return ""
