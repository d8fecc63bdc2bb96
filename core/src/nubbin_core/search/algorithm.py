"""Find an algorithm by name, built in, in a package or in a file; check what it asks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from nubbin_core.errors import NubbinError
from nubbin_core.late import offered
from nubbin_core.minimizers import (
    ALGORITHMS,
    Belief,
    Minimizer,
    Query,
    Settings,
    Start,
    Subset,
    learned,
)

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


#: An algorithm may repeat a query. If this many waves in a row, and this many more for each element
#: of the list, only repeat queries, the algorithm never ends.
_MAX_REPEATED_WAVES = 1_000
_MAX_REPEATED_WAVES_PER_ELEMENT = 100


class AlgorithmError(NubbinError):
    """A foreign algorithm cannot be loaded, or breaks the contract."""


@contextmanager
def blaming(title: str, doing: str) -> Iterator[None]:
    """Raise AlgorithmError for any error that foreign code raises in the block.

    The message names the last line of the foreign code; the error's cause has the traceback.
    """
    try:
        yield
    except AlgorithmError:
        raise
    except (Exception, SystemExit) as error:
        import traceback  # noqa: PLC0415 - only here
        from pathlib import Path  # noqa: PLC0415 - only here

        nubbin = Path(__file__).parents[1]
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [
            each
            for each in frames
            if not Path(each.filename).is_relative_to(nubbin) and "importlib" not in each.filename
        ]
        place = f" ({theirs[-1].filename}, line {theirs[-1].lineno})" if theirs else ""
        raise AlgorithmError(
            f"The algorithm {title} fails when {doing}: {type(error).__name__}: {error}{place}"
        ) from error


class CheckedMinimizer(NamedTuple):
    """Passes on the queries and subsets of a foreign algorithm, and checks each.

    Raises AlgorithmError if the algorithm

    - raises any error,
    - asks something else than queries about subsets of its list,
    - keeps something else than the last subset or a smaller one that was interesting, or
    - does not end although it asks nothing new.
    """

    title: str
    everything: Subset
    state: Minimizer
    kept: Subset
    #: Digests of the subsets of all queries so far; each set is larger than the next.
    asked: tuple[frozenset[int], ...] = ()
    repeated: int = 0  # the waves in a row that asked nothing new

    @classmethod
    def start(
        cls, title: str, begin: Start, everything: Subset, settings: Settings
    ) -> CheckedMinimizer:
        """Start an algorithm on a list."""
        with blaming(title, "it starts"):
            state = begin(everything, settings)
            checked = cls(title, everything, state, everything)
            if state.kept != everything:
                checked._blame(f"at first it keeps {_shown(state.kept)}, not the whole list")
        return checked

    @property
    def learned(self) -> Belief | None:
        """The algorithm's belief about similar lists, if it has one."""
        return learned(self.state)

    def ask(self) -> tuple[Query, ...]:
        """Return the algorithm's queries."""
        with blaming(self.title, "it chooses queries"):
            wave = self.state.ask()
            if not isinstance(wave, tuple) or not all(isinstance(each, Query) for each in wave):
                self._blame(f"ask() returns {_shown(wave)}, not a tuple of queries")
            for each in wave:
                if not isinstance(each.kept, Subset) or not each.kept <= self.everything:
                    self._blame(
                        f"it asks about {_shown(each.kept)}, not about a subset of its list"
                    )
                if not isinstance(each.kind, str):
                    self._blame(f"the kind of a query is {_shown(each.kind)}, not a str")
                if each.chance is not None and not 0 <= each.chance <= 1:
                    self._blame(f"the chance of a query is {_shown(each.chance)}, not from 0 to 1")
        return wave

    def tell(self, answers: tuple[bool, ...]) -> CheckedMinimizer:
        """Pass on the answers, and check the subset that the algorithm keeps."""
        wave = self.ask()
        asked, new = self.asked, False
        for query in wave:
            if not any(query.kept.digest in each for each in asked):
                asked, new = _added(asked, query.kept.digest), True
        repeated = 0 if new else self.repeated + 1
        limit = _MAX_REPEATED_WAVES + _MAX_REPEATED_WAVES_PER_ELEMENT * len(self.everything)
        if repeated > limit:
            self._blame(
                f"it does not end: the last {limit:,} times it asked nothing that it had not asked "
                f"before of its {len(self.everything):,} elements"
            )
        with blaming(self.title, "it reads the answers"):
            state = self.state.tell(answers)
            kept = state.kept
            interesting = [each.kept for each, yes in zip(wave, answers, strict=True) if yes]
            if kept != self.kept and (kept not in interesting or len(kept) >= len(self.kept)):
                self._blame(
                    f"it keeps {_shown(kept)} after {len(self.kept):,}, not the subset of before "
                    "or a smaller one that these answers found interesting"
                )
        return self._replace(state=state, kept=kept, asked=asked, repeated=repeated)

    def _blame(self, fault: str) -> NoReturn:
        raise AlgorithmError(
            f"The algorithm {self.title} breaks the contract of minimizers: {fault}. See "
            "docs/new-algorithm.md."
        )


def _added(sets: tuple[frozenset[int], ...], digest: int) -> tuple[frozenset[int], ...]:
    """Add a digest to the sets; each digest is copied a logarithmic number of times."""
    last = frozenset({digest})
    while sets and len(sets[-1]) <= len(last):
        *rest, smaller = sets
        sets, last = tuple(rest), last | smaller
    return (*sets, last)


def _shown(value: object) -> str:
    if isinstance(value, Subset):
        return f"{len(value):,} elements"
    return repr(value)[:80]
