"""Two neighbours that begin alike become one."""

from __future__ import annotations

import pytest

from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.consistent import proposals_of
from nubbin.passes.nodes.subtrees import joining
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import EMPTY


def merged(language: str, text: str) -> list[str]:
    """Return what becomes of a text if all neighbours are made one."""
    gate = Gate(Syntax(language))
    found = proposals_of(lambda file: joining(file, gate), File("a", text.encode()))
    return [each.render(EMPTY).data.decode() for each in found]


@pytest.mark.parametrize(
    ("language", "text", "one"),
    [
        ("python", "import a\nimport b\nimport c\n", "import a,b,c\n"),
        ("python", "from a import b\nfrom a import c\n", "from a import b,c\n"),
        ("c", "int a; int b=1;", "int a,b=1;"),
        ("javascript", "let a=1;let b=2;", "let a=1,b=2;"),
    ],
)
def test_neighbours_of_one_kind_become_one(language: str, text: str, one: str) -> None:
    assert merged(language, text) == [one]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "import a\n"),
        ("python", "import a\nx = 1\nimport b\n"),
        ("javascript", "if(a)b;if(c)d;"),
        ("c", "int a; char b;"),
    ],
)
def test_others_stay(language: str, text: str) -> None:
    assert not merged(language, text)
