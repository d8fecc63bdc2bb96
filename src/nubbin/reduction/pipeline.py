"""Choose the passes for a document, and their order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TypeVar

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.parsing.injected import syntax_of
from nubbin.documents.parsing.languages import language_of
from nubbin.documents.parsing.syntax import Structure
from nubbin.documents.parts import Protected
from nubbin.documents.trace import Trace
from nubbin.passes.consistent import also_plain
from nubbin.passes.folders.definitions_across import definitions_across, leftovers
from nubbin.passes.folders.each_file import each_file
from nubbin.passes.folders.files import SINGLE_FILES, files, folder_passes, with_single_files
from nubbin.passes.folders.for_readers import for_readers
from nubbin.passes.folders.named import named_by_failure
from nubbin.passes.folders.traced import own_package, unexecuted, untouched
from nubbin.passes.grain import UNITS, Grain
from nubbin.passes.guard import Guard
from nubbin.passes.proposal import FilePass, Pass, Proposals
from nubbin.passes.table import (
    HDD_PASSES,
    LIST_PASSES,
    PASSES,
    SUSPECT_PASSES,
    FileView,
    Row,
    with_given,
)
from nubbin.reduction.options import HDD
from nubbin_core.errors import OptionError

T = TypeVar("T")


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
    named: Sequence[str] = (),
    guard: Guard | None = None,
    given: Sequence[tuple[str, Row]] = (),
) -> tuple[Pass, ...]:
    """Return the passes for a document, in the order in which they run.

    They are the rows of `PASSES` that are not finer than `smallest` (in a binary file, `token` is
    `char`), with the rows `given` at their `PLACES`. A pass edits all files to which its row
    applies; that is decided when the pass reaches a file, so a removed file is never parsed. In a
    folder, whole files come first (`folder_passes`). Before them come the files that the texts
    `named` do not lead to, or those that a `trace` of a run does not show. A flat list has one
    pass, and so has `hdd`: hierarchical delta debugging, each level of the tree as one list
    (Misherghi and Su, 2006). Passes of the finest grain and over single files prove the result
    1-minimal.

    `language` is that of every file. Passes leave out `protected` text, and the `guard` catches
    their errors. Raises ValueError for an unknown unit, and OptionError for an unknown language,
    for a flat list with `hdd`, or if `hdd` finds no tree.
    """
    if smallest not in {*UNITS, *SUSPECT_PASSES}:
        raise ValueError(f"no unit {smallest!r}; there are {', '.join(UNITS)}")
    only = (LIST_PASSES | SUSPECT_PASSES).get(smallest)
    finest = Grain.CHAR if only else Grain[smallest.upper()]
    if framework and only:
        raise OptionError(
            f"--algorithm {framework}: reduces the levels of a syntax tree, and --smallest "
            f"{smallest} a flat list. Leave out one of the two."
        )
    try:
        language_of("", b"", language or "")
    except ValueError as error:
        raise OptionError(f"--format: {error}") from None
    shared = cache(syntax_of)
    by_lines = trace is not None and finest is Grain.TREE
    views = {
        file.path: FileView(file, language, shared, protected, by_lines) for file in document.texts
    }
    if framework:
        _check_trees(views.values())
    is_whole = not framework and only is None
    rows = with_given(HDD_PASSES if framework else only or PASSES, given)
    finest_of = {path: view.finest(finest) for path, view in views.items()}
    grains = {*finest_of.values()} or {finest}
    in_grain = [row for row in rows if row.grain <= max(grains)]
    # Each file has some row that proves.
    proofs = {max(r.grain for r in in_grain if r.piece and r.grain <= grain) for grain in grains}

    @cache
    def rows_for(path: str) -> frozenset[Row]:
        """Return the rows for a file: all together, while its tree is in memory."""
        view = views[path]
        is_true = cache(lambda applies: applies(view))  # of several rows
        ask = guard.applies if guard else lambda name, file, applies: applies()
        return frozenset(
            row
            for row in in_grain
            if row.grain <= finest_of[path]
            and ask(row.name, view.file, partial(is_true, row.applies))
        )

    def made_of(row: Row) -> Pass:
        piece = row.piece if row.grain in proofs else ""
        whole = also_plain if piece else lambda each: each

        def found(path: str) -> FilePass | None:
            if row not in rows_for(path):
                return None

            def propose(file: File) -> Proposals[File]:
                return whole(row.make(views[path]))(file)

            return guard.over(row.name, propose) if guard else propose

        return each_file(row.name, _Found(views, found), piece, row)

    passes = list(map(made_of, in_grain))
    structures = _Found(views, lambda path: views[path].structure)
    open_structures = _Found(views, lambda path: views[path].open_structure)
    first = list(_first(document, structures, trace, named)) if trace or is_whole else []
    last = [] if trace is None else [_leftovers(structures)]
    chosen: tuple[Pass, ...]
    if document.is_single:
        chosen = (*first, *(each for each in passes if each.paths), *last)
    elif not is_whole:
        whole = Pass("files", partial(files, structures=structures))
        chosen = (*first, whole, *with_single_files(passes))
    else:
        test = "".join(named[:1])
        chosen = (*first, *folder_passes(structures, open_structures, passes, test), *last)
    # Passes with a row have a guard for each file already, and deleting files raises nothing.
    return tuple(
        p if guard is None or p.row is not None or p is SINGLE_FILES else guard.whole(p)
        for p in chosen
    )


def _first(
    document: Document,
    structures: Mapping[str, Structure],
    trace: Trace | None,
    texts: Sequence[str],
) -> Iterator[Pass]:
    """Yield the passes before the rows."""
    if trace is None and texts:
        failure = partial(named_by_failure, structures=structures, texts=texts, original=document)
        yield Pass("what the failure names", failure)
    if document.is_single:
        return
    if trace is None:
        yield Pass("comments", partial(for_readers, structures=structures))
        return
    yield Pass("unused files", partial(untouched, trace=trace))
    yield Pass("released package", partial(own_package, trace=trace))
    code = partial(unexecuted, structures=structures, trace=trace, original=document)
    yield Pass("unexecuted code", code)
    yield Pass("definitions", partial(definitions_across, structures=structures))
    yield _leftovers(structures)  # also early, for users who stop soon


def _leftovers(structures: Mapping[str, Structure]) -> Pass:
    return Pass("leftovers", partial(leftovers, structures=structures), "an empty line")


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
