"""The outline of texts that have no grammar."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.outlines.outline import Outline, is_of_expressions

texts = st.text("ab \n\t,;|()[]{}\\").map(str.encode)


def outline(text: str) -> list[tuple[int, str]]:
    """Return the depth and the text of each node that has a name, without the root."""
    data = text.encode()
    nodes = Outline().nodes(data)[1:]
    return [(node.depth, data[node.start : node.stop].decode()) for node in nodes if node.named]


def test_a_line_goes_on_as_long_as_its_brackets_are_open() -> None:
    assert outline("a {\n  b\n  c\n}\nd\n") == [
        (1, "a {\n  b\n  c\n}"),
        (2, "{\n  b\n  c\n}"),
        (3, "b"),
        (3, "c"),
        (1, "d"),
    ]


def test_a_line_holds_those_below_that_stand_further_to_the_right() -> None:
    assert outline("a\n  b\n    c\n  d\ne\n") == [
        (1, "a\n  b\n    c\n  d"),
        (2, "b\n    c"),
        (3, "c"),
        (2, "d"),
        (1, "e"),
    ]


def test_marks_part_a_line_and_what_brackets_hold() -> None:
    assert outline("a, f(x|y z);\nb\n") == [
        (1, "a, f(x|y z)"),
        (2, "a"),
        (2, "f(x|y z)"),
        (3, "(x|y z)"),
        (4, "x"),
        (4, "y z"),
        (1, "b"),
    ]


def test_brackets_without_a_partner_escaped_ones_and_those_in_quotes_are_text() -> None:
    assert outline("a ) b\n(c\n\\(d\n[e (]\n'{' f '}'\n") == [
        (1, "a ) b"),
        (1, "(c"),
        (1, "\\(d"),
        (1, "[e (]"),
        (1, "'{' f '}'"),
    ]


def test_a_blank_line_is_no_part() -> None:
    assert outline("a\n\n \t\n b\n") == [(1, "a\n\n \t\n b"), (2, "b")]


def test_what_is_no_text_has_no_outline() -> None:
    assert not Outline().parses(b"a\0b")
    assert Outline().nodes(b"a\0b") == []


@given(texts)
def test_nodes_lie_inside_their_parents_one_behind_the_other(data: bytes) -> None:
    for node in Outline().nodes(data):
        ends = [node.start, *(e for each in node.children for e in (each.start, each.stop))]
        assert [*ends, node.stop] == sorted([*ends, node.stop])
        assert [each.index for each in node.children] == list(range(len(node.children)))
        assert all(each.parent is node for each in node.children)


@given(texts)
def test_every_word_is_in_a_line_or_in_brackets(data: bytes) -> None:
    data += b"\n"
    held = Outline().nodes(data, depth=1)[1:]
    for at, byte in enumerate(data):
        if byte in b"ab":
            assert any(node.start <= at < node.stop for node in held)


def test_words_are_leaves_if_they_are_wanted() -> None:
    data = b'f (a "b c" d)\n'
    leaves = [node for node in Outline(words=True).nodes(data) if not node.children]
    texts = [data[node.start : node.stop] for node in leaves]
    assert texts == [b"f", b"(", b"a", b'"b c"', b"d", b")"]
    assert not any(node.kind == "word" for node in Outline().nodes(data))


def test_a_text_of_expressions_has_hardly_a_word_outside_of_parentheses() -> None:
    expressions = b"(declare-fun f () Int) ; made\n(assert (= f 1))" + b"(assert (< f 2))" * 4
    assert is_of_expressions(expressions)
    assert not is_of_expressions(b"f" + expressions + b"g h")
    assert not is_of_expressions(b"cnf(a, axiom, p(X)).")
    assert not is_of_expressions(b'{"a": [1, 2]}')
    limit = f"{is_of_expressions.__module__}._MAX_TEXT_BYTES"
    with patch(limit, len(expressions)):  # the beginning decides
        assert is_of_expressions(expressions + b" f" * 100)
