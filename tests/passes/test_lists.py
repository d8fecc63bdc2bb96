"""Lists that are coupled: their elements at one position go together."""

from __future__ import annotations

from nubbin.documents.edits import File
from nubbin.documents.outlines.outline import Outline
from nubbin.documents.parsing.syntax import Structure, Syntax
from nubbin.passes.nodes.lists import arguments
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import Subset


def singles(text: bytes, structure: Structure) -> set[bytes]:
    """What comes of each edit alone that is proposed for a text."""
    proposal = next_proposal(arguments(File("input", text), Gate(structure)))
    if proposal is None:
        return set()
    full = Subset.full(proposal.size)
    return {proposal.render(full.without(i, i + 1)).data for i in range(proposal.size)}


def test_a_parameter_goes_with_its_arguments_in_lisp() -> None:
    text = b"(fun f((x Int)(y Int))Int(+ x y))(fun g()Int)(assert(= g(f 1(f 2 g))))"
    seen = singles(text, Outline(words=True))
    assert b"(fun f((y Int))Int(+ 1 y))(fun g()Int)(assert(= g(f (f g))))" in seen
    assert b"(fun f((x Int))Int(+ x g))(fun g()Int)(assert(= g(f 1)))" in seen


def test_a_call_without_arguments_is_a_name_in_lisp() -> None:
    text = b"(fun f(Int)Int)(assert(=(f 1)(f 2)))"
    assert b"(fun f()Int)(assert(= f f))" in singles(text, Outline(words=True))


def test_what_a_name_stands_before_is_no_list_of_it_in_lisp() -> None:
    text = b"(fun f(Int)Int)(fun c()Int)(assert(= c(f 1)))(assert(= c(f 2)))"
    assert b"(fun f(Int)Int)(fun c()Int)(assert(= c f))(assert(= c f))" not in singles(
        text, Outline(words=True)
    )


def test_calls_show_without_a_grammar() -> None:
    text = b"f(a, b) is defined\nfirst f(1, 2), then f(3, g(4))\n"
    seen = singles(text, Outline(words=True))
    assert b"f( b) is defined\nfirst f( 2), then f( g(4))\n" in seen


def test_a_column_goes_with_the_values_in_it() -> None:
    text = (
        b"CREATE TABLE t(a INT, b INT, c INT);\n"
        b"INSERT INTO t VALUES(1, 2, 3), (4, 5, 6);\nINSERT INTO t (a, b, c) VALUES(7, 8, 9);\n"
    )
    assert (
        b"CREATE TABLE t(a INT, c INT);\n"
        b"INSERT INTO t VALUES(1, 3), (4, 6);\nINSERT INTO t (a, c) VALUES(7, 9);\n"
    ) in singles(text, Syntax("sql"))


def test_a_field_goes_with_its_initialisers() -> None:
    text = (
        b"struct P { a: u8, b: u8 } const X: P = P { a: 1, b: 2 }; const Y: P = P { a: 3, b: 4 };"
    )
    assert (b"struct P { a: u8 } const X: P = P { a: 1 }; const Y: P = P { a: 3 };") in singles(
        text, Syntax("rust")
    )
    text = b"struct P { int a; int b; }; int f() { return g(P{1, 2}, P{3, 4}); }"
    assert b"struct P {int a;}; int f() { return g(P{1}, P{3}); }" in {
        each.replace(b" }; ", b"}; ").replace(b"{ ", b"{", 1)
        for each in singles(text, Syntax("cpp"))
    }


def test_parameters_of_lisp_are_in_a_list_or_behind_the_name() -> None:
    text = b"(define (f x y) (+ x y)) (display (f 1 (f 2 3)))"
    assert b"(define (f y) (+ 1 y)) (display (f (f 3)))" in singles(text, Syntax("scheme"))
    text = b"(defun f (x y) (+ x y)) (print (f 1 (f 2 3)))"
    assert b"(defun f ( y) (+ 1 y)) (print (f (f 3)))" in singles(text, Syntax("commonlisp"))
    assert b"(fun f( B)) (= (f q))" in singles(b"(fun f(A B)) (= (f p q))", Outline(words=True))
