"""What the name of an algorithm means: one of nubbin's, of an installed package, or of a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset
from nubbin_core.search.checked_minimizer import AlgorithmError, CheckedMinimizer, blaming

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints
    from pathlib import Path

#: The entry points by which installed packages offer algorithms.
GROUP = "nubbin.algorithms"

#: Between a file and the name of what starts the algorithm in it.
_IN_FILE = ".py:"

Start = Callable[[Subset, Settings], Minimizer]


class Algorithm(NamedTuple):
    """An algorithm by its name; none of its code has run before `load`.

    `name` has the absolute path of a file, `title` no path. `source` tells versions of what is not
    nubbin's own apart: the SHA-256 of a file, or a package and its version.
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
        if _IN_FILE in name:
            from hashlib import sha256  # noqa: PLC0415 - only for files

            path, attribute = _path_and_attribute(name)
            digest = sha256(_code(path)).hexdigest()
            return cls(f"{path}:{attribute}", f"{path.name}:{attribute}", digest)
        return cls(name, name, _package(_entry_point(name)))

    def load(self) -> Start:
        """Return what starts the algorithm on a list: its class has it, or it is that itself.

        Raises AlgorithmError if its code cannot be loaded, or has changed.
        """
        if self.name in ALGORITHMS:
            return ALGORITHMS[self.name]
        if Algorithm.named(self.name) != self:
            raise AlgorithmError(f"The algorithm {self.title} has changed meanwhile. Begin again.")
        with blaming(self.title, "it is loaded"):
            found = _in_file(self.name) if _IN_FILE in self.name else _entry_point(self.name).load()
            begin = attrgetter("start")(found) if isinstance(found, type) else found
        if not callable(begin):
            raise AlgorithmError(f"The algorithm {self.title} is neither a class nor a function.")
        return partial(CheckedMinimizer.start, self.title, begin)


def is_foreign(name: str) -> bool:
    """Tell whether a name is that of an algorithm in a file, or of an installed package."""
    return _IN_FILE in name or bool(_offered().select(name=name))


def _path_and_attribute(name: str) -> tuple[Path, str]:
    from pathlib import Path  # noqa: PLC0415 - only for files

    written, _, attribute = name.rpartition(_IN_FILE)
    return Path(f"{written}{_IN_FILE[:-1]}").absolute(), attribute


def _code(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AlgorithmError(
            f"The file of the algorithm, {path}, cannot be read: {error.strerror}."
        ) from None


def _in_file(name: str) -> Any:
    """Run a file, and return what it defines; nothing is left on disk or on the path."""
    path, attribute = _path_and_attribute(name)
    # Named by its path, as no module is that anything imports.
    module = sys.modules[str(path)] = ModuleType(str(path))
    module.__file__ = str(path)
    exec(compile(_code(path), path, "exec", dont_inherit=True), module.__dict__)
    return attrgetter(attribute)(module)


def _offered() -> EntryPoints:
    """Return what installed packages offer."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - few runs need it

    return entry_points(group=GROUP)


def _entry_point(name: str) -> EntryPoint:
    """Return the entry point of a name; raises ValueError if there is none."""
    found = tuple(_offered().select(name=name))
    if not found:
        there = [*ALGORITHMS, *sorted(_offered().names)]
        raise ValueError(f"no algorithm {name!r}; there are {', '.join(there)}, and FILE.py:CLASS")
    if len(found) > 1:
        packages = ", ".join(map(_package, found))
        raise AlgorithmError(
            f"Several packages offer an algorithm {name}: {packages}. Uninstall all but one."
        )
    return found[0]


def _package(found: EntryPoint) -> str:
    return f"{found.dist.name} {found.dist.version}" if found.dist else found.value
