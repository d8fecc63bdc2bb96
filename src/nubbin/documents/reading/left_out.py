"""Leave out of a folder what is not input: version control, packages, caches, ignored files."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

#: The folder of nubbin itself, which is never input.
OWN = ".nubbin"
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})
_CACHES = frozenset({"__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache"})
#: A file of this name that begins like this marks a folder as a cache (bford.info/cachedir).
_CACHE_TAG, _CACHE_MARK = "CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55"
_PACKAGES = "node_modules"
#: A folder with a file of this name is a virtual environment of Python.
_ENVIRONMENT_MARK = "pyvenv.cfg"

#: Up to so many folders of a kind are named; of more, the files are counted.
_MAX_NAMED = 3
_IGNORED = "what .gitignore names"


@dataclass(slots=True)
class LeavingOut:
    """Decides what is left out of an input, and lists it.

    `reachable` are the paths of installed packages, which the test finds by a link.
    """

    reachable: set[str] = field(default_factory=set)
    _alone: list[str] = field(default_factory=list)
    _alike: defaultdict[str, list[tuple[str, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def takes(self, entry: os.DirEntry[str], name: str) -> bool:
        """Leave an entry out if it is of a kind that no test needs as input; `name` is its path."""
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == OWN or entry.name in _VERSION_CONTROL:
            self._alone.append(name)
        elif is_folder and (entry.name == _PACKAGES or _has(entry.path, _ENVIRONMENT_MARK)):
            self.reachable.add(name)
            self._alone.append(f"{name} ({_counted(_files_in(entry))}, linked for the test)")
        elif is_folder and (entry.name in _CACHES or _has(entry.path, _CACHE_TAG, _CACHE_MARK)):
            self._alike[entry.name].append((name, _files_in(entry)))
        else:
            return False
        return True

    def ignore(self, entry: os.DirEntry[str], name: str) -> None:
        """Leave out an entry that `.gitignore` names."""
        self._alike[_IGNORED].append((name, _files_in(entry)))

    def add(self, name: str, why: str) -> None:
        """Leave out an entry without contents, for instance a pipe."""
        self._alone.append(f"{name} ({why})")

    def in_words(self) -> tuple[str, ...]:
        """Return a text for each entry that is left out, or for many of one kind."""
        return tuple(sorted({*self._alone, *self._alike_in_words()}))

    def _alike_in_words(self) -> Iterator[str]:
        for kind, found in self._alike.items():
            if len(found) > _MAX_NAMED:
                yield f"{kind} ({_counted(sum(files for _, files in found))})"
            else:
                why = ", in .gitignore" if kind == _IGNORED else ""
                yield from (f"{name} ({_counted(files)}{why})" for name, files in found)


def _has(folder: str, name: str, begins: bytes = b"") -> bool:
    """Tell whether there is a file of this name in a folder that begins like this."""
    file = Path(folder, name)
    with suppress(OSError):
        if file.is_file():
            with file.open("rb") as opened:
                return opened.read(len(begins)) == begins
    return False


def _files_in(entry: os.DirEntry[str]) -> int:
    """Count the files in a folder, as far as it may be read; one for a file."""
    if not entry.is_dir(follow_symlinks=False):
        return 1
    folders, files = [entry.path], 0
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for each in entries:
                if each.is_dir(follow_symlinks=False):
                    folders.append(each.path)
                else:
                    files += 1
    return files


def _counted(files: int) -> str:
    return f"{files:,} file" + "s" * (files != 1)
