"""Find an algorithm by name: among nubbin's, in an installed package, or in a file."""

from __future__ import annotations

import sys
from functools import partial
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from nubbin_core.late import offered
from nubbin_core.minimizers import ALGORITHMS, Start
from nubbin_core.search.checked_minimizer import AlgorithmError, CheckedMinimizer, blaming

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

#: The entry points by which installed packages offer algorithms.
GROUP = "nubbin.algorithms"

#: Between a file and the name of what starts the algorithm in it.
IN_FILE = ".py:"


class Algorithm(NamedTuple):
    """An algorithm by name. None of its code runs before `load`.

    `name` contains the absolute path of a file, `title` only the file's name. `source` identifies
    the version of foreign code: the SHA-256 of the file, or the package and its version. It is
    empty for nubbin's own algorithms.
    """

    name: str
    title: str
    source: str

    @classmethod
    def named(cls, name: str) -> Algorithm:
        """Return the algorithm of a name.

        Raises ValueError if there is none, AlgorithmError if its file cannot be read.
        """
        if name in ALGORITHMS:
            return cls(name, name, "")
        return cls(*foreign(name, "algorithm", GROUP, tuple(ALGORITHMS)))

    def load(self) -> Start:
        """Return the function that starts the algorithm: its own, or the `start` of its class.

        Raises AlgorithmError if the code cannot be loaded, or has changed since `named`.
        """
        if self.name in ALGORITHMS:
            return ALGORITHMS[self.name]
        if Algorithm.named(self.name) != self:
            raise AlgorithmError(f"The algorithm {self.title} has changed meanwhile. Begin again.")
        with blaming(self.title, "it is loaded"):
            in_file = IN_FILE in self.name
            found = _in_file(self.name) if in_file else _entry_point(self.name).load()
            begin = attrgetter("start")(found) if isinstance(found, type) else found
        if not callable(begin):
            raise AlgorithmError(f"The algorithm {self.title} is neither a class nor a function.")
        return partial(CheckedMinimizer.start, self.title, begin)


def foreign(name: str, noun: str, group: str, known: tuple[str, ...] = ()) -> tuple[str, str, str]:
    """Return the name, title and source of code in a file, or of an installed package.

    See `Algorithm` for these three. `noun` says in error messages what kind of code this is;
    `known` are valid names besides the entry points of `group`. Raises ValueError for an unknown
    name, AlgorithmError if the file cannot be read.
    """
    if IN_FILE in name:
        from hashlib import sha256  # noqa: PLC0415 - only for files

        path, attribute = _path_and_attribute(name)
        digest = sha256(_code(path, noun)).hexdigest()
        return f"{path}:{attribute}", f"{path.name}:{attribute}", digest
    return name, name, _package(_entry_point(name, noun, group, known))


def is_foreign(name: str) -> bool:
    """Tell whether a file or an installed package defines the algorithm."""
    return IN_FILE in name or bool(offered(GROUP).select(name=name))


def _path_and_attribute(name: str) -> tuple[Path, str]:
    from pathlib import Path  # noqa: PLC0415 - only for files

    written, _, attribute = name.rpartition(IN_FILE)
    return Path(f"{written}{IN_FILE[:-1]}").absolute(), attribute


def _code(path: Path, noun: str = "algorithm") -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AlgorithmError(
            f"The file of the {noun}, {path}, cannot be read: {error.strerror}."
        ) from None


def _in_file(name: str) -> Any:
    """Run a file and return the named object; leaves nothing on disk or on the path."""
    path, attribute = _path_and_attribute(name)
    # A path cannot be the name of a module that is imported.
    module = sys.modules[str(path)] = ModuleType(str(path))
    module.__file__ = str(path)
    exec(compile(_code(path), path, "exec", dont_inherit=True), module.__dict__)
    return attrgetter(attribute)(module)


def _entry_point(
    name: str, noun: str = "algorithm", group: str = GROUP, known: tuple[str, ...] = ()
) -> EntryPoint:
    """Return the entry point of a name; raises ValueError if there is none."""
    found = tuple(offered(group).select(name=name))
    if not found:
        there = ", ".join([*known, *sorted(offered(group).names)]) or "none"
        raise ValueError(f"no {noun} {name!r}; there are {there}. Or give FILE.py:NAME")
    if len(found) > 1:
        packages = ", ".join(map(_package, found))
        raise AlgorithmError(
            f"Several packages offer the {noun} {name}: {packages}. Uninstall all but one."
        )
    return found[0]


def _package(found: EntryPoint) -> str:
    return f"{found.dist.name} {found.dist.version}" if found.dist else found.value
