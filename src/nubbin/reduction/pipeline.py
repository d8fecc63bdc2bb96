"""Which passes are run on a document, and in which order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import Any, cast

from nubbin.documents.document import Document
from nubbin.documents.parsing.injected import syntax_of
from nubbin.documents.parsing.languages import language_of
from nubbin.documents.parts import Protected
from nubbin.documents.trace import Trace
from nubbin.errors import OptionError
from nubbin.passes.consistent import also_plain
from nubbin.passes.folders.definitions_across import DefinitionsAcross
from nubbin.passes.folders.each_file import EachFile
from nubbin.passes.folders.files import Files, folder_passes, with_single_files
from nubbin.passes.folders.own_package import OwnPackage
from nubbin.passes.folders.unexecuted import Unexecuted
from nubbin.passes.folders.untouched import Untouched
from nubbin.passes.grain import ATOMS, GRAIN_OF_ATOM, MINIMALITIES, Grain
from nubbin.passes.proposal import Pass
from nubbin.passes.table import ATOM_PASSES, HDD_PASSES, PASSES, SUSPECT_PASSES, FileView
from nubbin.reduction.options import HDD
from nubbin.reduction.proposer import Proposed, Source


def framework_of(algorithm: str) -> tuple[str, str]:
    """Return the framework that `hdd:cdd` names, `hdd` or none, and the algorithm in it."""
    name = algorithm.removeprefix(f"{HDD}:")
    return HDD if name != algorithm else "", name


def passes_for(
    document: Document,
    atom: str = "auto",
    language: str | None = None,
    minimality: str = "char",
    framework: str = "",
    *,
    proposer: Source | None = None,
    protected: Protected | None = None,
    trace: Trace | None = None,
) -> tuple[Pass, ...]:
    """Return the passes for a document, in the order in which they run.

    That is the rows of `PASSES` that apply to a file and are not finer than `minimality`; a pass
    edits all files it applies to at once. If there are several files, whole files come first, and
    passes over all of them are among the rows (`folder_passes`). An
    `atom` other than `auto` has one pass of its own, and so has the framework `hdd`: hierarchical
    delta debugging, each level of the tree as one list (Misherghi and Su, 2006). `language`
    is the user's word for the language of every file. A `proposer` has no pass with these two.
    Most passes over trees see only what is outside of what is `protected`; `Unprotected` takes the
    rest off their lists. If there is a `trace` of a run, the files and the code go first that it
    does not show.
    The passes that prove a result 1-minimal are those of the finest grain, and that over single
    files of a folder.

    Raises ValueError for an unknown atom or minimality, and OptionError if nobody knows the
    language, if the atom is finer than `minimality`, if both an atom and `hdd` are given, or if
    `hdd` finds no tree.
    """
    if atom not in {*ATOMS, *SUSPECT_PASSES}:
        raise ValueError(f"no atom {atom!r}; there are {', '.join(ATOMS)}")
    if minimality not in MINIMALITIES:
        raise ValueError(f"no minimality {minimality!r}; there are {', '.join(MINIMALITIES)}")
    finest = Grain[minimality.upper()]
    _check(atom, language, finest, framework)
    pass_of_proposer = None if proposer is None else Proposed(proposer).propose
    shared = cache(syntax_of)
    views = [
        FileView(file, language, pass_of_proposer, shared, protected) for file in document.texts
    ]
    if framework:
        _check_trees(views)
    rows = HDD_PASSES if framework else (ATOM_PASSES | SUSPECT_PASSES).get(atom, PASSES)
    in_grain = [row for row in rows if row.grain <= finest]
    # One file after the other: its tree is known as long as few others are parsed.
    applies = [[row.applies(view) for row in in_grain] for view in views]
    rows_here = [
        (row, here)
        for number, row in enumerate(in_grain)
        if (here := [view for view, each in zip(views, applies, strict=True) if each[number]])
    ]
    proof = max((row.grain for row, _ in rows_here if row.proves), default=None)
    passes: list[Pass] = []
    for row, here in rows_here:
        proves = row.proves and row.grain == proof
        whole = also_plain if proves else lambda each: each
        made = {view.file.path: whole(row.make(view)) for view in here}
        passes.append(EachFile(row.name, made, proves))
    if document.is_single:
        return tuple(passes)
    structures = {view.file.path: view.structure for view in views}
    first: list[Pass] = []
    if trace is not None:
        first = [
            Untouched(trace),
            OwnPackage(trace),
            Unexecuted(trace, document, structures),
            DefinitionsAcross(structures),
        ]
    if rows is not PASSES:
        return *first, Files(structures), *with_single_files(passes)
    return *first, *folder_passes(structures, passes)


def without(passes: tuple[Pass, ...], names: Collection[str]) -> tuple[Pass, ...]:
    """Return the passes but those of these names; none proves if any that does is left out.

    Raises OptionError for a name that there is not.
    """
    there = [each.name for each in passes]
    for name in names:
        if name not in there:
            raise OptionError(
                f"--without: there is no pass {name!r} for this input; there are "
                f"{', '.join(dict.fromkeys(there))}."
            )
    proof_is_whole = not any(each.proves and each.name in names for each in passes)
    left = (each for each in passes if each.name not in names)
    return tuple(each if proof_is_whole else _proving_nothing(each) for each in left)


def _proving_nothing(each: Pass) -> Pass:
    """Return a pass that is the same but for its part in a proof, which is not whole."""
    return cast("Pass", replace(cast("Any", each), proves=False)) if each.proves else each


def _check(atom: str, language: str | None, finest: Grain, framework: str) -> None:
    """Raise OptionError for options that are wrong for any document."""
    if framework and atom != "auto":
        raise OptionError(
            f"{HDD}: goes through the levels of a syntax tree, and --atom {atom} through a flat "
            f"list. Leave out one of the two."
        )
    if atom != "auto" and GRAIN_OF_ATOM.get(atom, finest) > finest:
        raise OptionError(
            f"--atom {atom} removes nothing but {atom}, and --minimality {finest.name.lower()} "
            f"nothing as fine as that. Leave out one of the two."
        )
    try:
        language_of("", b"", language or "")
    except ValueError as error:
        raise OptionError(f"--format: {error}") from None


def _check_trees(views: list[FileView]) -> None:
    """Raise OptionError for a file without a syntax tree."""
    for view in views:
        if not view.has_tree():
            raise OptionError(
                f"{HDD}: needs a syntax tree, and there is none of {view.file.path}: no grammar "
                f"for it, or a file too large or too deep. Name its language with --format, or "
                f"leave out {HDD}:."
            )
