"""Where files name one another."""

from __future__ import annotations

import pytest

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.folders.mentions import Mention, element_at, mentions
from nubbin.passes.syntactic import Gate

FILES = {
    "p/main.c": b'#include "net.h"\nint my_net, net; // x-ray internet\n',
    "p/net.c": b"",
    "p/net.h": b"",
    "p/x-ray.py": b"from p.y import a\n",
    "p/y/__init__.py": b"",
    "p/z/__init__.py": b"import z\n",
    "p/-.txt": b"- -\n",
}


def named(path: str) -> list[tuple[str, bytes]]:
    document = Document("p", tuple(File(*each) for each in FILES.items()))
    return [
        (each.path, FILES[each.path][each.start : each.stop]) for each in mentions(document)[path]
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("p/net.h", [("p/main.c", b"net.h")]),
        ("p/net.c", []),
        ("p/x-ray.py", [("p/main.c", b"x-ray")]),
        ("p/y/__init__.py", [("p/x-ray.py", b"y")]),
        ("p/z/__init__.py", []),
        ("p/-.txt", []),
    ],
)
def test_a_file_is_named_by_its_stem_its_name_or_its_folder(
    path: str, expected: list[tuple[str, bytes]]
) -> None:
    assert named(path) == expected


@pytest.mark.parametrize(
    ("language", "text", "deleted"),
    [
        ("python", b"from . import core, other\n", b"core"),
        ("python", b"from .core import a\nb = 1\n", b"from .core import a"),
        ("python", b"def f():\n    import core\n    import b\n", b"import core"),
        ("c", b'#include "core"\nint a;\n', b'#include "core"\n'),
        ("html", b'<p><link href="core"><link href="b"></p>', b'<link href="core">'),
    ],
)
def test_what_names_a_file_is_an_element_or_a_statement(
    language: str, text: bytes, deleted: bytes
) -> None:
    start = text.index(b"core")
    node = element_at(Gate(Syntax(language)), text, Mention("a", start, start + 4))
    assert node is not None
    assert text[node.start : node.stop] == deleted


def test_what_no_node_holds_names_nothing() -> None:
    assert element_at(Gate(Syntax("python")), b"a = 1\n", Mention("a", 4, 99)) is None
