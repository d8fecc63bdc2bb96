"""Which passes are run on a document, and in which order."""

from __future__ import annotations

from collections.abc import Callable

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.format_spec import FormatSpec, format_spec_of
from nubbin.documents.grammars import grammar
from nubbin.documents.languages import language_of
from nubbin.documents.outline import Outline
from nubbin.documents.syntax import Syntax
from nubbin.minimizers import ALGORITHMS
from nubbin.oracles.errors import OptionError
from nubbin.passes.arguments import Arguments
from nubbin.passes.blanks import Blanks
from nubbin.passes.bodies import Bodies
from nubbin.passes.def_use import DefUse
from nubbin.passes.duplicates import Duplicates
from nubbin.passes.each_file import EachFile
from nubbin.passes.empty_elements import EmptyElements
from nubbin.passes.files import Files
from nubbin.passes.flat import FLAT, Flat
from nubbin.passes.hoist import Hoist
from nubbin.passes.inline import Inline
from nubbin.passes.levels import Levels
from nubbin.passes.minimal_replacements import MinimalReplacements
from nubbin.passes.names import Names
from nubbin.passes.proposal import FilePass, Pass
from nubbin.passes.repaired import Repaired
from nubbin.passes.subtrees import Subtrees
from nubbin.passes.syntactic import Gate, OnTree
from nubbin.passes.windows import Brackets, Windows
from nubbin.reduction.proposer import Proposed, Source

#: What can be deleted: whatever the document is made of, or one kind of piece.
ATOMS = ("auto", *FLAT)

#: How fine the pieces are at which a reduction ends, and how passes finer than that are called.
MINIMALITIES: dict[str, tuple[str, ...]] = {
    "tree": ("tokens", "windows", "chars", "bytes"),
    "token": ("chars", "bytes"),
    "char": (),
}


#: What stands before an algorithm's name, and a colon, to run it on the levels of trees alone.
HDD = "hdd"


def framework_of(algorithm: str) -> tuple[str, str]:
    """Return the framework that `hdd:cdd` names, `hdd` or none, and the minimizer in it.

    Raises ValueError for names that are not known.
    """
    framework, colon, name = algorithm.rpartition(":")
    if name not in ALGORITHMS or framework + colon not in {"", f"{HDD}:"}:
        names = ", ".join(sorted(ALGORITHMS))
        raise ValueError(f"no algorithm {algorithm!r}; there are {names}, and {HDD}: before each")
    return framework, name


def passes_for(
    document: Document,
    atom: str = "auto",
    language: str | None = None,
    minimality: str = "char",
    framework: str = "",
    *,
    proposer: Source | None = None,
) -> tuple[Pass, ...]:
    """Return the passes for a document, coarse to fine; the last is the finest.

    Whole files come first where there are several. An `atom` other than `auto` has one pass of
    its own. With `auto`, passes over the syntax tree come first where there is a grammar for
    `language`, or for what a file seems to be; over the outline of the text where there is none,
    or one that hardly fits; lines where that is too much. No pass is finer than `minimality`
    says. The framework `hdd` is hierarchical delta debugging and nothing else: the levels of the
    tree, each one list (Misherghi and Su, 2006). With `auto`, a `proposer` has a pass of its own.
    Raises WrongOption for a language that nobody knows, for an atom finer than `minimality`, and
    if `hdd` finds no tree.
    """
    _check(atom, language, minimality, framework)
    too_fine = MINIMALITIES[minimality]
    proposed = None if proposer is None else Proposed("proposer", proposer)
    plans = [_plan(file, framework or atom, language, proposed) for file in document.files]
    paths = [file.path for file in document.files]
    passes: list[Pass] = [] if document.is_single else [Files()]
    for row in zip(*plans, strict=True):
        here = {path: each for path, each in zip(paths, row, strict=True) if each is not None}
        name = next((each.name for each in here.values()), "")
        if here and not name.startswith(too_fine):
            passes.append(EachFile(name, here))
    return tuple(passes)


def _check(atom: str, language: str | None, minimality: str, framework: str) -> None:
    """Raise WrongOption for options that are wrong whatever the document is."""
    if framework and atom != "auto":
        raise OptionError(
            f"{HDD}: goes through the levels of a syntax tree, and --atom {atom} through a flat "
            f"list. Leave out one of the two."
        )
    if atom.startswith(MINIMALITIES[minimality]):
        raise OptionError(
            f"--atom {atom} removes nothing but {atom}, and --minimality {minimality} nothing as "
            f"fine as that. Leave out one of the two."
        )
    try:
        language_of("", b"", language or "")
    except ValueError as error:
        raise OptionError(f"--format: {error}") from None


def _plan(
    file: File, atom: str, language: str | None, proposer: FilePass | None
) -> tuple[FilePass | None, ...]:
    """Return the passes for a file: the same number for every file, None where one has no use."""
    if atom in FLAT:
        return (FLAT[atom],)
    known = language_of(file.path, file.data, language or "")
    syntax = None if known is None or grammar(known) is None else Syntax(known)
    readable = syntax is not None and syntax.parses(file.data)
    if atom == HDD:
        if syntax is None or not readable:
            raise OptionError(
                f"{HDD}: needs a syntax tree, and there is none of {file.path}: no grammar for "
                f"it, or a file too large or too deep. Name its language with --format, or leave "
                f"out {HDD}:."
            )
        return (Levels(syntax),)
    outline = Outline()
    on_outline, treeless = _on_outline(file, outline), _treeless(outline)
    is_reliable = syntax is not None and syntax.is_reliable(file.data)
    format_spec = format_spec_of(file.data)
    return (
        *(
            (Repaired(make(format_spec), format_spec) for make in _KEPT_UP)
            if format_spec
            else [None] * len(_KEPT_UP)
        ),
        *([None] * len(on_outline) if is_reliable else on_outline),
        # What is too large or too deep for a tree may not be so any more when it has shrunk.
        *([None] * len(treeless) if readable else treeless),
        *((OnTree(make, syntax) for make in _ON_TREES) if syntax else [None] * len(_ON_TREES)),
        proposer,
        Windows(syntax or outline),
        FLAT["chars"],
    )


def _on_outline(file: File, outline: Outline) -> tuple[FilePass | None, ...]:
    """Return the passes that look at the layout alone; at lines, where even that is too much."""
    return (
        None if outline.parses(file.data) else FLAT["lines"],
        OnTree(lambda gate: Subtrees(gate, "large parts"), outline),
        Levels(outline, "nested lines"),
    )


def _treeless(outline: Outline) -> tuple[FilePass, ...]:
    """Return the passes that do without a grammar what those on trees do with one.

    Brackets go before hoisting, which would take those that are nested deeply off one by one.
    """
    return (
        Blanks(),
        Brackets(None),
        OnTree(Hoist, outline),
        FLAT["tokens"],
        Names(None),
    )


#: Each makes a pass from what a file's format needs.
_KEPT_UP: tuple[Callable[[FormatSpec], Flat], ...] = (
    lambda format_spec: Flat(format_spec.pieces, format_spec.cut),
    lambda format_spec: Flat("contents", format_spec.inner),
    lambda _: FLAT["lines"],
    lambda _: FLAT["tokens"],
    lambda _: FLAT["chars"],
)

#: Each makes a pass from the gate of a file's language.
_ON_TREES: tuple[Callable[[Gate], FilePass], ...] = (
    Subtrees,
    Bodies,
    lambda gate: Levels(gate.syntax),
    DefUse,
    Hoist,
    MinimalReplacements,
    Duplicates,
    Arguments,
    Inline,
    lambda gate: EmptyElements(gate.syntax),
    lambda _: Blanks(),
    lambda gate: Names(gate.syntax),
    lambda gate: Brackets(gate.syntax),
    lambda _: FLAT["tokens"],
)
