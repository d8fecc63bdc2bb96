"""Syntax: what passes learn about a tree, and about the effect of an edit on it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.edits import Edits, File
from nubbin.documents.parsing.syntax import Node, Syntax
from nubbin.documents.parsing.trees import tree_of
from nubbin.documents.spans import Areas, Replacement
from nubbin_core.minimizers.subset import EMPTY
from snippets import SNIPPETS

languages = st.sampled_from(sorted(SNIPPETS))


def errors(text: bytes, language: str) -> int:
    """Return the number of errors in a text."""
    tree = tree_of(text, language)
    assert tree is not None
    return tree.facts.errors


def row(node: Node) -> tuple[int, int, str, bool, int, int]:
    return node.start, node.stop, node.kind, node.named, node.depth, node.index


@pytest.mark.parametrize("language", sorted(SNIPPETS))
def test_nodes_know_where_they_stand(language: str) -> None:
    text = SNIPPETS[language]
    nodes = Syntax(language).nodes(text)
    assert nodes[0].parent is None
    assert nodes[0].depth == 0
    for node in nodes:
        assert 0 <= node.start < node.stop <= len(text)
        assert [child.index for child in node.children] == list(range(len(node.children)))
        for one, next_one in zip(node.children, node.children[1:], strict=False):
            assert one.stop <= next_one.start
            assert one.sibling(1) is next_one
            assert next_one.sibling(-1) is one
        for child in node.children:
            assert child.parent is node
            assert child.depth == node.depth + 1
            assert node.start <= child.start <= child.stop <= node.stop


@given(languages, st.integers(0, 12), st.integers(0, 60))
def test_a_part_of_the_tree_is_that_part_of_all_of_it(
    language: str, depth: int, smallest: int
) -> None:
    text = SNIPPETS[language]
    syntax = Syntax(language)
    everything = syntax.nodes(text)
    expected = [
        row(node)
        for node in everything
        if node.depth <= depth and (node.parent is None or len(node.parent) >= smallest)
    ]
    assert [row(node) for node in syntax.nodes(text, depth, smallest)] == expected
    assert [row(node) for node in syntax.nodes(text)] == [row(node) for node in everything]


@given(languages, st.data())
@examples(200)
def test_an_edit_is_judged_as_by_a_parse_from_scratch(language: str, data: st.DataObject) -> None:
    text = SNIPPETS[language]
    syntax = Syntax(language)
    nodes = syntax.nodes(text)
    chosen = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=4))
    texts = data.draw(st.lists(st.sampled_from([b"", b"0"]), min_size=4, max_size=4))
    edits = Edits(
        File("", text),
        [(Replacement(n.start, n.stop, t),) for n, t in zip(chosen, texts, strict=False)],
    )
    edited = edits.render(EMPTY).data
    # Every error counts: the snippets have none.
    assert errors(text, language) == 0
    fresh = errors(edited, language) == 0
    assert syntax.allows_edit(text, edits.spans(EMPTY)) == fresh


def test_what_is_asked_in_between_changes_no_answer() -> None:
    syntax = Syntax("c")
    good, bad = b"int x;", b"int x"
    cut = [Replacement(5, 6)]
    assert not syntax.allows_edit(good, cut)
    assert syntax.allows_edit(bad, [])
    assert errors(bad, "c") == 1
    assert [node.kind for node in syntax.nodes(b"")] == []
    assert not syntax.allows_edit(good, cut)
    assert syntax.allows_edit(bad, [Replacement(0, 5)])


def test_too_deep_a_tree_has_no_nodes() -> None:
    syntax = Syntax("json")
    shallow, deep = b"[" * 100 + b"]" * 100, b"[" * 20_000 + b"]" * 20_000
    assert syntax.parses(shallow)
    assert max(node.depth for node in syntax.nodes(shallow)) == 101
    assert not syntax.parses(deep)
    assert syntax.nodes(deep) == []
    assert syntax.allows_edit(deep, [Replacement(0, 1)])


def test_too_large_a_tree_has_only_the_nodes_near_the_root() -> None:
    syntax, (small, large) = Syntax("json"), (b"[[%b1],2]" % (b"1," * n) for n in (1000, 500_000))
    assert syntax.parses(small)
    assert not syntax.parses(large)
    assert not syntax.is_reliable(large)
    kinds = [node.kind for node in syntax.nodes(large, depth=2)]
    assert kinds == ["document", "array", "[", "array", ",", "number", "]"]
    assert syntax.nodes(large, depth=3) == syntax.nodes(large) == []
    assert syntax.allows_edit(large, [Replacement(0, 1)])


def test_no_grammar_no_tree() -> None:
    syntax = Syntax("dimacs")
    assert not syntax.parses(b"p cnf 1 1\n1 0\n")
    assert syntax.nodes(b"p cnf 1 1\n1 0\n") == []


@given(languages, st.binary(max_size=60))
def test_any_bytes_have_a_tree_or_none(language: str, junk: bytes) -> None:
    syntax = Syntax(language)
    assert all(node.stop <= len(junk) for node in syntax.nodes(junk))


#: A node with its children: the spans of all, and what they are.
Shape = list[tuple[int, int, str, str]]


def shape(node: Node) -> Shape:
    own = node.start, node.stop, node.kind, ""
    return [own, *((each.start, each.stop, each.kind, each.role or "") for each in node.children)]


def takes_parameters(node: Node) -> bool:
    beside = (child for child in node.children if child.role != "body")
    return any(part.role in {"parameters", "arguments"} for each in beside for part in each.walk())


@given(languages, st.integers(0, 200), st.integers(1, 400), st.integers(0, 400), st.integers(0, 99))
def test_functions_are_found_without_a_look_at_all_nodes(
    language: str, start: int, size: int, closed: int, closed_size: int
) -> None:
    text = SNIPPETS[language][start : start + size]
    syntax, parts = Syntax(language), Areas([closed], [closed + closed_size])
    functions = {row(each) for each in syntax.nodes(text) if takes_parameters(each)}
    nodes = syntax.nodes(text, closed=parts)
    holders = dict.fromkeys(node.parent for node in nodes if node.role == "body")
    expected = [shape(each) for each in holders if each and row(each) in functions]
    bodies = [node for node in syntax.functions(text, parts) if node.role == "body"]
    found = dict.fromkeys(body.parent for body in bodies)
    assert sorted(shape(each) for each in found if each) == sorted(expected)
    starts = [each.start for each in found if each]
    assert starts == sorted(starts)
