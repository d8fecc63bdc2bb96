"""Which passes are run on a document, and in which order."""

from __future__ import annotations

from collections.abc import Callable

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.grammars import grammar
from nubbin.documents.languages import language_of
from nubbin.documents.syntax import Syntax
from nubbin.oracles.errors import WrongTest
from nubbin.passes.blanks import Blanks
from nubbin.passes.dimacs import Clauses
from nubbin.passes.each_file import EachFile
from nubbin.passes.files import Files
from nubbin.passes.flat import FLAT
from nubbin.passes.hoist import Hoist
from nubbin.passes.levels import Levels
from nubbin.passes.linked import Linked
from nubbin.passes.names import Names
from nubbin.passes.proposal import FilePass, Pass
from nubbin.passes.simplest import Simplest
from nubbin.passes.subtrees import Subtrees
from nubbin.passes.syntactic import Gate
from nubbin.passes.windows import Brackets, Windows

#: What can be deleted: whatever the document is made of, or one kind of piece.
ATOMS = ("auto", *FLAT)

#: How fine the pieces are at which a reduction ends, and the passes that are finer than that.
MINIMALITIES = {"tree": {"tokens", "windows", "chars"}, "token": {"chars"}, "char": set[str]()}


def passes_for(
    document: Document, atom: str = "auto", language: str | None = None, minimality: str = "char"
) -> tuple[Pass, ...]:
    """Return the passes for a document, coarse to fine; the last is the finest.

    Whole files come first where there are several. An `atom` other than `auto` has one pass of
    its own. With `auto`, passes over the syntax tree come first where there is a grammar for
    `language`, or for what a file seems to be; lines where there is none. No pass is finer than
    `minimality` says. Raises WrongTest for a language that nobody knows.
    """
    too_fine = MINIMALITIES[minimality]
    plans = [
        (FLAT[atom],) if atom != "auto" else _passes_for(file, language) for file in document.files
    ]
    paths = [file.path for file in document.files]
    passes: list[Pass] = [] if document.is_single else [Files()]
    for row in zip(*plans, strict=True):
        here = {path: each for path, each in zip(paths, row, strict=True) if each is not None}
        names = {each.name for each in here.values()}
        if here and not names & too_fine:
            passes.append(EachFile(names.pop(), here))
    return tuple(passes)


def _passes_for(file: File, language: str | None) -> tuple[FilePass | None, ...]:
    """Return the passes for a file: the same number for every file, None where one has no use."""
    try:
        known = language_of(file.path, file.data, language or "")
    except ValueError as error:
        raise WrongTest(f"{error}.") from None
    syntax = None if known is None or grammar(known) is None else Syntax(known)
    gate = Gate(syntax) if syntax else None
    # What is too large or too deep for a tree may not be so any more when it has shrunk.
    flat_first = syntax is None or not syntax.reads(file.data)
    return (
        *(_COARSE if flat_first else [None] * len(_COARSE)),
        *((make(gate) for make in _ON_TREES) if gate else [None] * len(_ON_TREES)),
        Windows(syntax),
        FLAT["chars"],
    )


_COARSE = (Clauses(), FLAT["lines"], Blanks(), Brackets(None), FLAT["tokens"])


#: Each makes a pass from the gate of a file's language.
_ON_TREES: tuple[Callable[[Gate], FilePass], ...] = (
    Subtrees,
    lambda gate: Levels(gate.syntax),
    Linked,
    Hoist,
    Simplest,
    lambda _: Blanks(),
    lambda gate: Names(gate.syntax),
    lambda gate: Brackets(gate.syntax),
    lambda _: FLAT["tokens"],
)
