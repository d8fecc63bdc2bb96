"""Which passes are run on a document, and in which order."""

from __future__ import annotations

from nubbin.documents.document import Document
from nubbin.documents.grammars import grammar
from nubbin.documents.languages import language_of
from nubbin.documents.syntax import Syntax
from nubbin.minimizers import ALGORITHMS
from nubbin.oracles.errors import WrongTest
from nubbin.passes.blanks import Blanks
from nubbin.passes.dimacs import Clauses
from nubbin.passes.flat import FLAT
from nubbin.passes.hoist import Hoist
from nubbin.passes.levels import Levels
from nubbin.passes.linked import Linked
from nubbin.passes.names import Names
from nubbin.passes.proposal import Pass
from nubbin.passes.simplest import Simplest
from nubbin.passes.subtrees import Subtrees
from nubbin.passes.syntactic import Gate
from nubbin.passes.windows import Brackets, Windows

#: What can be deleted: whatever the document is made of, or one kind of piece.
ATOMS = ("auto", *FLAT)

#: What stands before an algorithm's name, and a colon, to run it on the levels of a tree alone.
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
    document: Document, atom: str, language: str | None, framework: str = ""
) -> tuple[Pass, ...]:
    """Return the passes for a document, coarse to fine; the last is the finest.

    An `atom` other than `auto` has one pass of its own. With `auto`, passes over the syntax
    tree come first where there is a grammar for `language`, or for what the document seems to
    be; lines where there is none. The framework `hdd` is hierarchical delta debugging and
    nothing else: the levels of the tree, each one list (Misherghi and Su, 2006). Raises
    WrongTest for a language that nobody knows, and where `hdd` finds no tree.
    """
    if framework == HDD and atom != "auto":
        raise WrongTest(
            f"{HDD}: goes through the levels of a syntax tree, and --atom {atom} through a flat "
            f"list. Leave out one of the two."
        )
    if atom != "auto":
        return (FLAT[atom],)
    try:
        known = language_of(document.name, document.data, language or "")
    except ValueError as error:
        raise WrongTest(f"{error}.") from None
    if framework == HDD:
        return (_levels(document, known),)
    coarse = (Clauses(), FLAT["lines"], Blanks(), Brackets(None), FLAT["tokens"])
    if known is None or grammar(known) is None:
        return (*coarse, Windows(None), FLAT["chars"])
    gate = Gate(Syntax(known))
    on_trees = (
        Subtrees(gate),
        Levels(gate.syntax),
        Linked(gate),
        Hoist(gate),
        Simplest(gate),
        Blanks(),
        Names(gate.syntax),
        Brackets(gate.syntax),
        FLAT["tokens"],
        Windows(gate.syntax),
        FLAT["chars"],
    )
    # What is too large or too deep for a tree may not be so any more when it has shrunk.
    return on_trees if gate.syntax.reads(document.data) else (*coarse, *on_trees)


def _levels(document: Document, language: str | None) -> Levels:
    syntax = Syntax(language) if language and grammar(language) else None
    if syntax is None or not syntax.reads(document.data):
        raise WrongTest(
            f"{HDD}: needs a syntax tree, and there is none of {document.name}: no grammar for "
            f"it, or a document too large or too deep. Name its language with --format, or leave "
            f"out {HDD}:."
        )
    return Levels(syntax)
