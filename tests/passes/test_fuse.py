"""Names that were declared alike become one."""

from __future__ import annotations

from nubbin.documents.edits import File
from nubbin.documents.outlines.outline import Outline
from nubbin.documents.parsing.syntax import Structure, Syntax
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.def_use import fuse
from nubbin_core.minimizers import EMPTY


def fused(text: bytes, structure: Structure) -> list[bytes]:
    """Return what becomes of a text if all that is proposed is accepted."""
    running, file, seen = fuse(File("input", text), Gate(structure)), None, list[bytes]()
    while (proposal := next_proposal(running, file)) is not None:
        file = proposal.render(EMPTY)
        seen.append(file.data)
    return seen


def test_two_that_are_declared_alike_become_one_and_then_those_that_use_them() -> None:
    text = b"(sort A)(sort B)(fun p()A)(fun q()B)(fun r(B)Int)(assert(= p(f q(r q))))"
    assert fused(text, Outline(words=True)) == [
        b"(sort A)(fun p()A)(fun q()A)(fun r(A)Int)(assert(= p(f q(r q))))",
        b"(sort A)(fun p()A)(fun r(A)Int)(assert(= p(f p(r p))))",
    ]


def test_two_variables_of_one_type_become_one() -> None:
    text = b"int a; int b; long c; int f() { return a + b + c; }"
    assert fused(text, Syntax("c")) == [b"int a; long c; int f() { return a + a + c; }"]


def test_what_is_declared_otherwise_or_used_nowhere_stays() -> None:
    assert fused(b"int a; long b; int c; int f() { return a + b; }", Syntax("c")) == []


def test_a_name_does_not_become_one_that_makes_the_document_longer() -> None:
    text = b"int abcdefghijkl; int b; int f() { return abcdefghijkl + b + b; }"
    assert fused(text, Syntax("c")) == []
