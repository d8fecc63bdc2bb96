"""Where files name one another."""

from __future__ import annotations

import pytest

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.folders.mentions import Mention, mentions, named_by, node_at
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.definition import deletable_around

FILES = {
    "p/main.c": b'#include "net.h"\nint my_net, net; // x-ray internet\n',
    "p/net.c": b"",
    "p/net.h": b"",
    "p/x-ray.py": b"from p.y import a\n",
    "p/y/__init__.py": b"",
    "p/z/__init__.py": b"import z\n",
    "p/stub.py": b"",
    "p/stub.pyi": b"",
    "p/user.py": b"from . import stub\n",
    "p/-.txt": b"- -\n",
    "p/q/Near.java": b"",
    "p/r/Main.java": b"import p.q.*;\nclass Main { Near near; }\n",
    "p/picture": b"\0 net.h x-ray.py",
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
        ("p/x-ray.py", []),
        ("p/q/Near.java", [("p/r/Main.java", b"Near")]),
        ("p/stub.py", [("p/user.py", b"stub")]),
        ("p/stub.pyi", [("p/user.py", b"stub")]),
        ("p/y/__init__.py", [("p/x-ray.py", b"y")]),
        ("p/z/__init__.py", []),
        ("p/-.txt", []),
    ],
)
def test_a_file_is_named_by_its_stem_its_name_or_its_folder(
    path: str, expected: list[tuple[str, bytes]]
) -> None:
    assert named(path) == expected


def users(files: dict[str, bytes], path: str) -> list[str]:
    """Return the files that name one of some, each as often as it does."""
    document = Document("p", tuple(File(*each) for each in files.items()))
    return [each.path for each in mentions(document)[path]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"import './core/get.js';\n// get\n", 1),
        (b"const get = require('../p/core/get');\n", 1),
        (b"import './get.js';\n", 0),
        (b"import 'other/get.js';\n", 0),
        (b"// get it\n", 0),
        (b"map.get(a);\n", 0),
    ],
)
def test_a_name_counts_in_a_path_that_leads_there(text: bytes, expected: int) -> None:
    files = {"p/core/get.js": b"", "p/main.js": text, "p/net.js": b"", "p/user.js": b"'./net.js'"}
    assert users(files, "p/core/get.js") == ["p/main.js"] * expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"from .core import a\n", 1),
        (b"from . import core\n", 1),
        (b"from p.core import a\n", 1),
        (b"from ..core import a\n", 0),
        (b"from os.core import a\n", 0),
        (b"a.core = core\n", 0),
    ],
)
def test_a_module_is_named_in_an_import_of_its_package(text: bytes, expected: int) -> None:
    files = {"p/core.py": b"", "p/main.py": text, "p/net.py": b"", "p/user.py": b"import net\n"}
    assert users(files, "p/core.py") == ["p/main.py"] * expected


def test_steps_to_a_folder_name_the_file_that_stands_for_it() -> None:
    files = {"p/index.js": b"", "p/q/a.js": b"require('../');\nrequire('../..');\nimport '.';\n"}
    assert users(files, "p/index.js") == ["p/q/a.js"]


def test_a_class_in_the_same_folder_needs_no_import() -> None:
    files = {
        "p/A.java": b"class A extends B {}",
        "p/B.java": b"class B {}",
        "p/q/C.java": b"import p.A;\nclass C { B b; }",
    }
    assert users(files, "p/B.java") == ["p/A.java"]
    assert users(files, "p/A.java") == ["p/q/C.java"]


def test_where_no_file_is_named_in_a_path_words_name_them() -> None:
    assert users({"p/Makefile": b"all: core net\n", "p/core.x": b""}, "p/core.x") == ["p/Makefile"]


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
    named = node_at(Syntax(language), text, Mention("a", start, start + 4))
    assert named is not None
    node = deletable_around(Gate(Syntax(language)), text, named)
    assert node is not None
    assert text[node.start : node.stop] == deleted


def test_what_no_node_holds_names_nothing() -> None:
    assert node_at(Syntax("python"), b"a = 1\n", Mention("a", 4, 99)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"cc main.c", ["p/main.c"]),
        (b"cd /a/p && ./p/x-ray.py", ["p/x-ray.py"]),
        (b"java p.main", ["p/main.c"]),
        (b"cc q/main.c amain.c main.cc main.c.c; echo main net y", []),
    ],
)
def test_a_text_names_files_by_their_paths(text: bytes, expected: list[str]) -> None:
    document = Document("p", tuple(File(*each) for each in FILES.items()))
    assert [*named_by(text, document)] == expected
