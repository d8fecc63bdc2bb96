"""Choose the passes for a document, and their order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final, TypeVar

from nubbin.documents.document import Document, Trace
from nubbin.documents.edits import File
from nubbin.documents.parsing.injected import syntax_of
from nubbin.documents.parsing.languages import language_of
from nubbin.documents.spans import Protected
from nubbin.passes.consistent import also_plain
from nubbin.passes.each_file import each_file
from nubbin.passes.folders.definitions_across import definitions_across, leftovers
from nubbin.passes.folders.entries import entries
from nubbin.passes.folders.files import SINGLE_FILES, files, merging
from nubbin.passes.folders.mentions import for_readers
from nubbin.passes.folders.named import named_by_failure
from nubbin.passes.folders.traced import own_package, unexecuted, untouched
from nubbin.passes.grain import UNITS, Grain
from nubbin.passes.guard import UNGUARDED, Guard
from nubbin.passes.nodes.subtrees import large_parts, long_lists
from nubbin.passes.proposal import FilePass, Pass, Proposals
from nubbin.passes.syntactic import Structures
from nubbin.passes.table import (
    HDD_PASSES,
    LARGE_PARTS,
    LIST_PASSES,
    NAMES,
    PASSES,
    SUBTREES,
    SUSPECT_PASSES,
    TREE_LEVELS,
    FileView,
    Row,
    with_given,
)
from nubbin.passes.words.names import names_across
from nubbin.reduction.options import HDD
from nubbin_core.errors import OptionError

T = TypeVar("T")

#: The rows that reduce a flat list, by what it is a list of.
_FLAT: Final = LIST_PASSES | SUSPECT_PASSES


class _Found(Mapping[str, T]):
    """A value for some of the files, by path; it is computed when it is first used."""

    def __init__(self, paths: Collection[str], find: Callable[[str], T | None]):
        self._paths = paths
        self._find = cache(find)

    def __getitem__(self, path: str) -> T:
        found = self._find(path) if path in self._paths else None
        if found is None:
            raise KeyError(path)
        return found

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._paths if path in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def framework_of(algorithm: str) -> tuple[str, str]:
    """Return the framework of an algorithm, `hdd` or "", and its name in the framework."""
    name = algorithm.removeprefix(f"{HDD}:")
    return HDD if name != algorithm else "", name


def passes_for(
    document: Document,
    smallest: str = "char",
    language: str | None = None,
    framework: str = "",
    *,
    protected: Protected | None = None,
    trace: Trace | None = None,
    is_project: bool = False,
    named: Sequence[str] = (),
    guard: Guard = UNGUARDED,
    given: Sequence[tuple[str, Row]] = (),
) -> tuple[Pass, ...]:
    """Return the passes for a document, in the order in which they run.

    They are the rows of `PASSES` that are not finer than `smallest` (in a binary file, `token` is
    `char`), with the rows `given` at their `PLACES`. A pass edits all files to which its row
    applies; that is decided when the pass reaches a file, so a removed file is never parsed. In a
    folder, whole files come first. Before them come the files that the texts `named` do not lead
    to, or those that a `trace` of a run does not show. A flat list has one pass, and so has `hdd`:
    hierarchical delta debugging, each level of the tree as one list (Misherghi and Su, 2006).
    Passes of the finest grain and over single files prove the result 1-minimal.

    `language` is that of every file. Passes leave out `protected` text, and the `guard` catches
    their errors. Raises ValueError for an unknown unit, and OptionError for an unknown language,
    for a flat list with `hdd`, or if `hdd` finds no tree.
    """
    _check_options(smallest, language or "", framework)
    flat = _FLAT.get(smallest)
    shared, by_lines = cache(syntax_of), is_project and smallest == "tree"
    views = {
        file.path: FileView(file, language, shared, protected, by_lines) for file in document.texts
    }
    if framework:
        _check_trees(views.values())
    rows = with_given(HDD_PASSES if framework else flat or PASSES, given)
    finest = Grain.CHAR if flat else Grain[smallest.upper()]
    rowed = _EachFile(views, rows, finest, guard).passes()
    across = _AllFiles(
        original=document,
        structures=_Found(views, lambda path: views[path].structure),
        open_structures=_Found(views, lambda path: views[path].open_structure),
        texts=named,
        trace=trace,
        is_project=is_project,
        is_list=bool(framework or flat),
        guard=guard,
    )
    return (*across.first(), *across.placed(rowed), *across.last())


def _check_options(smallest: str, language: str, framework: str) -> None:
    """Raise ValueError or OptionError, as `passes_for`."""
    if smallest not in {*UNITS, *SUSPECT_PASSES}:
        raise ValueError(f"no unit {smallest!r}; there are {', '.join(UNITS)}")
    if framework and smallest in _FLAT:
        raise OptionError(
            f"--algorithm {framework}: reduces the levels of a syntax tree, and --smallest "
            f"{smallest} a flat list. Leave out one of the two."
        )
    try:
        language_of("", b"", language)
    except ValueError as error:
        raise OptionError(f"--format: {error}") from None


class _EachFile:
    """The rows of a document that are not finer than `finest`, as passes over its files."""

    def __init__(
        self, views: Mapping[str, FileView], rows: Sequence[Row], finest: Grain, guard: Guard
    ):
        self._views, self._guard = views, guard
        self._finest = {path: view.finest(finest) for path, view in views.items()}
        grains = {*self._finest.values()} or {finest}
        self._rows = [row for row in rows if row.grain <= max(grains)]
        proving = [row.grain for row in self._rows if row.piece]
        #: The grains of the rows that prove; each file has one of these.
        self._proofs = {max(each for each in proving if each <= grain) for grain in grains}
        self._rows_of = cache(self._rows_for)

    def passes(self) -> list[Pass]:
        """Return a pass for each row, over the files to which it applies."""
        return [self._pass(row) for row in self._rows]

    def _pass(self, row: Row) -> Pass:
        made = each_file(row.name, _Found(self._views, partial(self._over, row)), self._piece(row))
        return replace(made, closes=bool(row.piece), is_golf=row.is_golf, row=row, waits=row.waits)

    def _piece(self, row: Row) -> str:
        return row.piece if row.grain in self._proofs else ""

    def _rows_for(self, path: str) -> frozenset[Row]:
        """Return the rows for a file: all together, while its tree is in memory."""
        view = self._views[path]
        is_true = cache(lambda applies: applies(view))  # of several rows
        return frozenset(
            row
            for row in self._rows
            if row.grain <= self._finest[path]
            and self._guard.applies(row.name, view.file, partial(is_true, row.applies))
        )

    def _over(self, row: Row, path: str) -> FilePass | None:
        """Return the pass of a row over a file; None if the row does not apply."""
        if row not in self._rows_of(path):
            return None

        def propose(file: File) -> Proposals[File]:
            made = row.make(self._views[path])
            return (also_plain(made) if self._piece(row) else made)(file)

        return self._guard.over(row.name, propose)


_PassOverAll = Callable[[Document], Proposals[Document]]
_PassOverTrees = Callable[[Document, Structures], Proposals[Document]]


@dataclass(frozen=True, slots=True)
class _AllFiles:
    """The passes over all files at once, and what they use.

    The `open_structures` leave out protected nodes. `is_list`: nothing is reduced but the levels of
    trees, or a flat list.
    """

    original: Document
    structures: Structures
    open_structures: Structures
    texts: Sequence[str]
    trace: Trace | None
    is_project: bool
    is_list: bool
    guard: Guard

    def first(self) -> Iterator[Pass]:
        """Yield the passes before those over each file."""
        trees, trace, original = self.structures, self.trace, self.original
        if trace is not None and self.is_project:  # people read the result
            executed = partial(unexecuted, trace=trace, original=original)
            yield self._pass("unused files", partial(untouched, trace=trace))
            yield self._pass("released package", partial(own_package, trace=trace))
            yield self._over(trees, "unexecuted code", executed)
            yield self._over(trees, "definitions and their uses", definitions_across)
            yield from self.last()  # also here, for users who stop soon
        elif not self.is_list:
            if texts := self.texts:
                named = partial(named_by_failure, texts=texts, original=original, trace=trace)
                yield self._over(trees, "what the failure names", named)
            yield self._over(trees, "comments", for_readers)
        if original.is_single:
            return
        if not self.is_list:
            test = "".join(self.texts[:1])  # which may name files
            yield self._over(trees, "entries", partial(entries, test=test))
        yield self._over(trees, "files", files)
        if not self.is_list:
            yield replace(self._over(trees, "merging", merging), is_golf=True)
            yield self._over(self.open_structures, "large parts", large_parts)

    def placed(self, rowed: Sequence[Pass]) -> Iterator[Pass]:
        """Yield the passes over each file, and in a folder others between them.

        The one over single files comes before the last with a `piece`: a file that is removed there
        is not part of the finest lists, the longest of the proof.
        """
        if self.original.is_single:
            yield from (each for each in rowed if each.paths)
            return
        proof = max(at for at, each in enumerate(rowed) if each.piece)
        for at, each in enumerate(rowed):
            if at == proof:
                yield SINGLE_FILES  # without a guard, as deleting files raises nothing
            if each.row == TREE_LEVELS:
                yield self._over(self.open_structures, "long lists", long_lists)
            if each.row == NAMES:
                names = self._over(self.open_structures, "names across files", names_across)
                yield replace(names, is_golf=True)
            if each.row not in _REPLACED:
                yield each

    def last(self) -> Iterator[Pass]:
        """Yield the passes after those over each file."""
        if self.trace is not None and self.is_project:
            each = self._over(self.structures, "leftovers", leftovers)
            yield replace(each, piece="an empty line")

    def _over(self, trees: Structures, name: str, propose: _PassOverTrees) -> Pass:
        return self._pass(name, lambda document: propose(document, trees))

    def _pass(self, name: str, propose: _PassOverAll) -> Pass:
        return self.guard.whole(Pass(name, propose))


#: Rows over each file that the one over all large parts replaces.
_REPLACED: Final = {SUBTREES, LARGE_PARTS}


def without(passes: tuple[Pass, ...], names: Collection[str]) -> tuple[Pass, ...]:
    """Return the passes without those of these names; without a pass that proves, none proves.

    Raises OptionError if no pass has the name.
    """
    there = [each.name for each in passes]
    for name in names:
        if name not in there:
            raise OptionError(
                f"--without: there is no pass {name!r} for this input; there are "
                f"{', '.join(dict.fromkeys(there))}."
            )
    proof_is_whole = not any(each.piece and each.name in names for each in passes)
    left = (each for each in passes if each.name not in names)
    return tuple(each if proof_is_whole else replace(each, piece="") for each in left)


def _check_trees(views: Collection[FileView]) -> None:
    """Raise OptionError for a file without a syntax tree."""
    for view in views:
        if not view.has_tree():
            raise OptionError(
                f"{HDD}: needs a syntax tree, but {view.file.path} has none: no grammar fits it, "
                f"or it is too large or too deeply nested. Name its language with --format, or "
                f"leave out {HDD}:."
            )
