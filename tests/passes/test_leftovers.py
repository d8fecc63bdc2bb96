"""What edits leave behind goes, and what is needed stays."""

from __future__ import annotations

import pytest

from nubbin.documents.document import Document
from nubbin.documents.edits import Edits, File
from nubbin.documents.parsing.injected import syntax_of
from nubbin.passes.folders.definitions_across import leftovers
from nubbin.passes.nodes.bodies import emptied_bodies
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers.subset import EMPTY, Subset

_PYTHON = """
import os

import os.path, re as regex
from a import b, c as d, e
from . import q
import json as loads


class Empty:
    "It says something."


    # And more.


def main():
    '''Two lines,

    and an empty one.'''
\x20\x20
    return e + os.name
main()
\x20\x20"""
_LEFT = """import os
import os.path
from a import e
def main():
    '''Two lines,
    and an empty one.'''
    return e + os.name
main()
"""


def left(document: Document, language: str) -> Document:
    """Return what the pass leaves if all that it asks for may go."""
    syntax = syntax_of(language)
    asking = leftovers(document, {file.path: syntax for file in document.files})
    proposal = next_proposal(asking)
    while proposal is not None:
        nothing = Subset.full(proposal.size).without(0, proposal.size)
        document = proposal.render(nothing)
        assert proposal.is_plausible(nothing)
        proposal = next_proposal(asking, document)
    return document


def test_nothing_is_left_that_nothing_needs() -> None:
    document = Document("p", (File("p/a.py", _PYTHON.encode()), File("p/b.py", b"\n\n\n")))
    assert left(document, "python").data == {"p/a.py": _LEFT.encode(), "p/b.py": b""}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_imports_of_javascript(end: str) -> None:
    lines = [
        'import a, { b as c, d } from "x";',
        'import * as e from "y";',
        'import "z";',
        "",
        "d();",
        "",
    ]
    document = Document.single("a.js", end.join(lines).encode())
    expected = ['import {  d } from "x";', 'import "z";', "d();", ""]
    assert left(document, "javascript").data["a.js"].split() == end.join(expected).encode().split()


def test_imports_of_rust() -> None:
    source = b"use a::b::{c, d, self};\nuse std::io as e;\nuse p::*;\nfn main() { c(); }\n"
    document = Document.single("a.rs", source)
    expected = b"use a::b::{c};\nuse p::*;\nfn main() { c(); }\n"
    assert left(document, "rust").data == {"a.rs": expected}


@pytest.mark.parametrize(
    ("language", "spare", "kept"),
    [
        ("csharp", "class A { int Spare() { return 1234567; }", "int Kept() { return 2; } }"),
        ("go", "package p\nfunc spare() int { return 1234567 }", "func kept() int { return 2 }"),
        ("java", "class A { int spare() { return 1234567; }", "int kept() { return 2; } }"),
        ("javascript", "function spare() { return 1234567 }", "function kept() { return 2 }"),
        ("python", "def spare():\n    return 1234567", "def kept():\n    return 2"),
        ("rust", "fn spare() -> i32 { return 1234567 }", "fn kept() -> i32 { return 2 }"),
        ("typescript", "function spare() { return 1234567 }", "function kept() { return 2 }"),
    ],
)
def test_a_function_that_was_emptied_is_deleted(language: str, spare: str, kept: str) -> None:
    whole = File("p/a", f"{spare}\n{kept}\n".encode())
    edits = emptied_bodies(whole.data, Gate(syntax_of(language)))
    emptied = Edits(whole, edits[:1]).render(EMPTY)
    assert b"1234567" not in emptied.data
    result = left(Document("p", (emptied,)), language).data["p/a"]
    assert b"spare" not in result.lower()
    assert kept.encode() in result


def test_nothing_is_proposed_where_nothing_is_left() -> None:
    document = Document.single("a.py", b"import os\nprint(os)\n")
    assert left(document, "python") is document
