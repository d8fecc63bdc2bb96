"""What names something goes with all that needs it."""

from __future__ import annotations

import pytest

from nubbin.documents.edits import Edits, File
from nubbin.documents.parsing.syntax import Node, Syntax
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.definition import cut_uses
from nubbin_core.minimizers import EMPTY


def mentions(syntax: Syntax, text: bytes, word: bytes) -> list[Node]:
    """Return the leaves of a text that have a word in them."""
    leaves = (node for node in syntax.nodes(text) if not node.children)
    return [leaf for leaf in leaves if word in text[leaf.start : leaf.stop]]


def cut(language: str, text: bytes, *words: bytes, known: frozenset[bytes] = frozenset()) -> bytes:
    """Return what is left of a text without what names any of some words."""
    syntax = Syntax(language)
    targets = [mentions(syntax, text, word) for word in words]
    edits = cut_uses(Gate(syntax), text, targets, known)
    return Edits(File("input", text), edits).render(EMPTY).data


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        (
            "javascript",
            b"import {a as b, c} from './lib.js';\nimport d from 'd';\nb.x();\nd(1);\n",
            b"import d from 'd';\nd(1);\n",
        ),
        (
            "javascript",
            b"const lib = require('./lib');\nconst c = lib.make();\nlog(c.size);\nlog(1);\n",
            b"log(1);\n",
        ),
        (
            "python",
            b"from .lib import f\nx = f(1)\ndef g():\n    y = 1\n    return x + y\nprint(2)\n",
            b"def g():\n    y = 1\n    return y\nprint(2)\n",
        ),
        ("python", b"import os\nfrom lib import a as b\nb()\nos.b()\n", b"import os\nos.b()\n"),
        (
            "java",
            b"import p.lib; import q.r; class A { lib f; int g() { f.x(); return 1; } }",
            b"import q.r; class A { int g() { return 1; } }",
        ),
        (
            "c",
            b"struct lib { int a; };\nint f(struct lib *p) { return 0; }\nint g() { return 1; }\n",
            b"int f() { return 0; }\nint g() { return 1; }\n",
        ),
        (
            "c",
            b"int f() { int x = 1; if (x) lib(); return x; }\n",
            b"int f() { int x = 1; if (x) ; return x; }\n",
        ),
        (
            "cpp",
            b"struct A { lib f; int g() { return f.x; } int h() { return 1; } };\n"
            b"int k(A a) { a.f; return a.h(); }\n",
            b"struct A { int g() { } int h() { return 1; } };\nint k(A a) { return a.h(); }\n",
        ),
        (
            "cpp",
            b"struct A { lib f; int g() { for (int a : f) return a; } };\n",
            b"struct A { int g() { } };\n",
        ),
        (
            "cpp",
            b"void f(lib x) { use(x); y(); }\nvoid g(int x) { use(x); }\n",
            b"void f() { y(); }\nvoid g(int x) { use(x); }\n",
        ),
        (
            "cpp",
            b"struct A { lib f() { int x = 1; return x; } int g() { int x = 2; return x; } };\n",
            b"struct A { int g() { int x = 2; return x; } };\n",
        ),
    ],
)
def test_what_names_something_goes_with_what_uses_what_it_declares(
    language: str, text: bytes, left: bytes
) -> None:
    assert cut(language, text, b"lib") == left


def test_a_variable_is_declared_for_its_block() -> None:
    text = (
        b"function a() { const x = lib(); use(x); }\nfunction b() { const x = 2; use(x); }\nf();\n"
    )
    assert cut("javascript", text, b"lib") == (
        b"function a() { }\nfunction b() { const x = 2; use(x); }\nf();\n"
    )


def test_a_name_that_is_only_used_where_it_stands_first_is_declared_elsewhere() -> None:
    text = b"console.log(lib);\nconsole.log(1);\nlog(lib);\nlog(2);\n"
    assert cut("javascript", text, b"lib") == b"console.log(1);\nlog(2);\n"


def test_a_known_name_is_declared_elsewhere() -> None:
    text = b"import {a} from 'lib';\na();\nb();\n"
    assert cut("javascript", text, b"lib", known=frozenset({b"a"})) == b"a();\nb();\n"


def test_each_target_is_one_edit_and_those_that_are_alike_are_one() -> None:
    syntax = Syntax("python")
    text = b"import a\nimport b\nb(a)\nc()\n"
    targets = [mentions(syntax, text, word) for word in (b"import", b"a", b"b", b"b")]
    found = cut_uses(Gate(syntax), text, targets[1:], ())
    assert [[span.start for span in edit] for edit in found] == [[0, 18], [9, 18]]


def test_a_target_that_cannot_be_deleted_has_no_edit() -> None:
    syntax = Syntax("python")
    assert cut_uses(Gate(syntax), b"a\n", [[syntax.nodes(b"a\n")[0]]], ()) == []
