"""What may go of a text of which only whole lines may."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.outlines.outline import Outline
from nubbin.documents.outside import Outside, WholeLines
from nubbin.documents.parsing.syntax import Syntax
from nubbin.documents.spans import Areas
from snippets import SNIPPETS

PYTHON = b"""\
import a, b  # here

@staticmethod
def f(x, y=[1, 2]):
    for each in [
        1,
        2 + 3,
    ]: g(each)
    return x
"""


def shown(text: bytes, language: str) -> set[bytes]:
    nodes = WholeLines(Syntax(language)).nodes(text)
    return {text[node.start : node.stop].strip() for node in nodes if node.named}


def test_statements_and_elements_on_lines_of_their_own_may_go() -> None:
    found = shown(PYTHON, "python") - {PYTHON.strip()}
    # The body and its whole are longer.
    assert {each for each in found if each.count(b"\n") < 3} == {
        b"import a, b",
        b"1",
        b"2 + 3",
        b"return x",
    }


def test_a_comma_may_come_before_an_element_on_its_line() -> None:
    assert {b"b = 2", b"c"} <= shown(b"var a = 1\n  , b = 2\n  , c\n", "javascript")
    assert b"b = 2" not in shown(b"var a = 1, b = 2\n", "javascript")


def test_the_insides_of_protected_nodes_are_not_shown() -> None:
    outside = Outside(Syntax("python"), lambda data: Areas([0], [len(data)]))
    assert len(WholeLines(outside).nodes(PYTHON)) == 1


def test_a_definition_keeps_its_head() -> None:
    method = b"class A:\n    @staticmethod\n    def f():\n        ...\n    x = 1\n"
    found = shown(method, "python")
    assert b"@staticmethod\n    def f():\n        ..." in found
    assert not {b"@staticmethod", b"def f():\n        ...", b"()", b"f"} & found


def test_parts_of_a_line_go_that_nobody_reads() -> None:
    line = b"x = [" + b", ".join(b"%d" % number for number in range(99)) + b"]\n"
    assert {b"7", b"98"} <= shown(line, "python")
    assert shown(b"x = [7, 98]\n", "python") == {b"x = [7, 98]"}


@pytest.mark.parametrize("language", sorted(SNIPPETS))
@given(st.integers(0, 8))
@examples(5)
def test_what_may_go_is_whole_lines(language: str, depth: int) -> None:
    text = SNIPPETS[language]
    for whole in (Syntax(language), Outline()):
        before = [node.named for node in whole.nodes(text)]
        for node in WholeLines(whole).nodes(text, depth):
            line = text[text.rfind(b"\n", 0, node.start) + 1 : node.start]
            assert not (node.named and line.strip(b" ,\t\r\f\n"))
        assert [node.named for node in whole.nodes(text)] == before
