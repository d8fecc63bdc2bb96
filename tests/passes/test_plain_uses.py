"""Something plain stands where names were used."""

from __future__ import annotations

import pytest

from nubbin.documents.edits import Edits
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.plain_uses import plain_uses
from nubbin_core.minimizers import EMPTY


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (b"std::string a; int b;\n", b"int a; int b;\n"),
        (b"std::vector<std::string> a;\n", b"int a;\n"),
        (b"int f(const std::string& a);\n", b"int f(const int& a);\n"),
        (b"char f() { std::string a; }\nA b;\n", b"char f() { A a; }\nA b;\n"),
        (b"int a = std::move(b);\n", b"int a = 0;\n"),
        (b"int a = f(std::move(b), 1);\n", b"int a = f(0, 1);\n"),
        (b"int a = 1;\n", b"int a = 1;\n"),
    ],
)
def test_types_and_values_become_plain(text: bytes, left: bytes) -> None:
    names = {b"std", b"string", b"vector", b"move"}
    edits = plain_uses(Gate(Syntax("cpp")), text, names)
    assert Edits(File("a.cc", text), edits).render(EMPTY).data == left
