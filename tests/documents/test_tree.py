"""Trees: every node in its place, whatever the bytes, and the same after an edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.parse import LONGEST, Parse, parse
from nubbin.documents.spans import Span
from nubbin.documents.tree import Tree, grow

SNIPPETS = {
    "c": b"int f(int a, char *b) {\r\n  if (a) return b[0] + 1; /* \xff */\n  return 0;\n}\n",
    "python": b"import os\n\nclass A:\n    def f(self, x=1):\n        return [x, os]\n",
    "json": b'{"a": [1, 2, {"b": null}], "c": "d\\n"}',
    "xml": b"<a><b c='1'/>text<d>\x00</d></a>",
}
languages = st.sampled_from(sorted(SNIPPETS))


def tree(data: bytes, language: str) -> Tree:
    grown = grow(data, language)
    assert grown is not None
    return grown


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A snippet with some of its pieces replaced by arbitrary bytes."""
    language = draw(languages)
    data = SNIPPETS[language]
    for _ in range(draw(st.integers(0, 3))):
        start, stop = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        data = data[:start] + draw(st.binary(max_size=6)) + data[stop:]
    return language, data


@given(damaged())
def test_columns_agree_with_the_parsers_own_tree(case: tuple[str, bytes]) -> None:
    language, data = case
    grown = tree(data, language)
    nodes = [grown.parsed.raw.root_node]
    seen = 0
    while nodes:
        node = nodes.pop()
        at = seen
        seen += 1
        assert (grown.starts[at], grown.stops[at]) == (node.start_byte, node.end_byte)
        assert (grown.kinds[at], grown.symbols[at]) == (node.kind_id, node.grammar_id)
        assert grown.kind(at) == node.type
        assert grown.states[at] == node.parse_state
        assert grown.ends[at] == at + node.descendant_count
        assert bool(grown.named[at]) == node.is_named
        assert bool(grown.extra[at]) == node.is_extra
        assert bool(grown.missing[at]) == node.is_missing
        assert grown.text(at) == data[node.start_byte : node.end_byte]
        children = grown.children(at).tolist()
        assert len(children) == node.child_count
        assert [grown.kind(child) for child in children] == [c.type for c in node.children]
        assert [grown.field(child) for child in children] == [
            node.field_name_for_child(i) for i in range(node.child_count)
        ]
        assert all(grown.parents[child] == at for child in children)
        assert bool(grown.is_leaf[at]) == (not children)
        assert list(grown.descendants(at)) == list(range(at + 1, at + node.descendant_count))
        if node.parent:
            assert grown.depths[at] == grown.depths[grown.parents[at]] + 1
            assert list(grown.ancestors(at))[-1] == 0
        nodes.extend(reversed(node.children))
    assert seen == len(grown)
    assert grown.parsed.errors >= grown.wrong.sum()
    assert grown.parsed.has_errors == (grown.parsed.errors > 0)
    assert 0 <= grown.parsed.stray_bytes <= len(data) + grown.parsed.errors


def test_a_missing_token_without_a_name_is_an_error_too() -> None:
    grown = tree(b"c\n0    def f(self):\n        return\n", "python")
    assert not grown.wrong.any()
    assert grown.parsed.errors == grown.parsed.stray_bytes == 1


@st.composite
def replacements(draw: st.DrawFn) -> tuple[str, list[Span]]:
    language = draw(languages)
    cuts = sorted(draw(st.lists(st.integers(0, len(SNIPPETS[language])), max_size=8)))
    texts = st.sampled_from([b"", b"0", b"\n", b" x\r\n y"])
    return language, [
        Span(start, stop, draw(texts)) for start, stop in zip(cuts[::2], cuts[1::2], strict=False)
    ]


def splice(data: bytes, spans: list[Span]) -> bytes:
    for start, stop, text in reversed(spans):
        data = data[:start] + text + data[stop:]
    return data


@given(replacements())
def test_an_edited_tree_spans_the_new_bytes(case: tuple[str, list[Span]]) -> None:
    language, spans = case
    old = tree(SNIPPETS[language], language)
    before = str(old.parsed.raw.root_node)
    data = splice(old.data, spans)
    new, fresh = old.edited(data, spans), tree(data, language)
    assert new is not None
    assert new.data == data
    # Recovery from errors depends on what was there before; correct text has one tree.
    if not fresh.parsed.has_errors:
        assert str(new.parsed.raw.root_node) == str(fresh.parsed.raw.root_node)
        assert new.starts.tolist() == fresh.starts.tolist()
        assert new.stops.tolist() == fresh.stops.tolist()
    assert str(old.parsed.raw.root_node) == before


def test_many_edits_at_once_are_parsed_from_scratch() -> None:
    data = b"[" + b"1," * 3000 + b"1]"
    spans = [Span(at, at + 2) for at in range(1, 4001, 2)]
    old = parse(data, "json")
    assert old is not None
    new = old.edited(splice(data, spans), spans)
    assert isinstance(new, Parse)
    assert not new.has_errors


@pytest.mark.parametrize(("language", "text"), [("json", b"[" * 100_000), ("c", b"(" * 100_000)])
def test_deep_nesting_is_no_recursion(language: str, text: bytes) -> None:
    assert len(tree(text, language)) >= 100_000
    closed = text + (b"]" if language == "json" else b")") * 100_000
    grown = tree(closed, language)
    assert grown.ends[0] == len(grown)


def test_what_has_no_tree() -> None:
    assert grow(b"x", None) is None
    assert grow(b"p cnf 1 1\n1 0\n", "dimacs") is None
    assert grow(b"[" + b"1," * (LONGEST // 2) + b"1]", "json") is None
    assert tree(b"", "json").ends.tolist() == [1]
