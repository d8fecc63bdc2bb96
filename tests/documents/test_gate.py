"""The gate: what the parse tables say of an edit, and what a parse says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.edits import Edit, Edits
from nubbin.documents.gate import Gate, new_errors
from nubbin.documents.parse import parse
from nubbin.documents.spans import Span
from nubbin.documents.tables import tables
from nubbin.documents.tree import Tree, grow
from nubbin.minimizers import EMPTY

C = b"""int g(int);
int f(int a, int b) {
  int x = a + 1;
  if (x > b) {
    return g(x);
  } else
    x = 2;
  return (x) * b; // c
}
"""


def grown(data: bytes, language: str) -> Tree:
    tree = grow(data, language)
    assert tree is not None
    return tree


def node_of(tree: Tree, text: bytes, kind: str) -> int:
    return next(
        node for node in range(len(tree)) if tree.text(node) == text and tree.kind(node) == kind
    )


@pytest.mark.parametrize(
    ("kind", "text", "goes"),
    [
        ("declaration", b"int x = a + 1;", True),
        ("declaration", b"int g(int);", True),
        ("return_statement", b"return (x) * b;", True),
        ("comment", b"// c", True),
        ("else_clause", b"else\n    x = 2;", True),
        ("parenthesized_expression", b"(x > b)", False),
        ("binary_expression", b"a + 1", False),
        ("number_literal", b"1", False),
    ],
)
def test_what_can_go(kind: str, text: bytes, goes: bool) -> None:
    tree = grown(C, "c")
    node = node_of(tree, text, kind)
    gate = Gate.of(tree)
    assert gate.can_go(node) is goes
    assert bool(gate.deletable()[node]) is goes


def test_a_separator_goes_with_its_element() -> None:
    tree = grown(b"[1, 2, 3]", "json")
    gate = Gate.of(tree)
    runs = {}
    for text in (b"1", b"2", b"3"):
        run = gate.with_separator(node_of(tree, text, "number"))
        assert run is not None
        runs[text] = tree.data[tree.starts[run[0]] : tree.stops[run[1]]]
    assert runs == {b"1": b"1,", b"2": b"2,", b"3": b", 3"}
    pair = grown(b'{"a": 1}', "json")
    assert Gate.of(pair).with_separator(node_of(pair, b'"a"', "string")) is None


def test_a_part_can_stand_for_the_whole() -> None:
    tree = grown(C, "c")
    gate = Gate.of(tree)
    block = node_of(tree, b"{\n    return g(x);\n  }", "compound_statement")
    call = node_of(tree, b"g(x)", "call_expression")
    assert gate.can_stand(node_of(tree, b"return g(x);", "return_statement"), block)
    assert gate.can_stand(node_of(tree, b"x", "identifier"), call)
    assert gate.can_stand(call, node_of(tree, b"(x) * b", "binary_expression"))
    assert not gate.can_stand(node_of(tree, b"x = 2;", "expression_statement"), call)


def test_what_is_unknown_is_allowed() -> None:
    tree = grown(b"int f( { ; } ) 3 = [ ]]", "c")
    gate = Gate.of(tree)
    assert tree.parsed.has_errors
    assert gate.deletable().any()


PROGRAMS = {
    "c": C,
    "json": b'{"a": [1, 2, {"b": null}], "c": "d"}',
    "python": b"import os\n\ndef f(a, b=1):\n    x = a + b\n    return os.path(x, 2)\n\nf(1)\n",
    "javascript": b"function f(a, b) { let x = [a, b]; return x.map(y => y + 1); }\nf(1, 2);\n",
}


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_most_predictions_come_true(language: str) -> None:
    tree = grown(PROGRAMS[language], language)
    gate = Gate.of(tree)
    outcomes = []
    for node in range(1, len(tree)):
        edit: Edit = (Span(int(tree.starts[node]), int(tree.stops[node])),)
        if tree.named[node] and edit[0].stop > edit[0].start:
            edits = Edits(tree.data, [edit])
            after = parse(edits.render(EMPTY), language)
            outcomes.append((gate.can_go(node), not new_errors(tree.parsed, after)))
    said = [truth for prediction, truth in outcomes if prediction]
    true = [prediction for prediction, truth in outcomes if truth]
    assert sum(said) >= 0.75 * len(said) > 0
    assert sum(true) >= 0.85 * len(true) > 0


def test_new_errors() -> None:
    good, bad = (parse(text, "json") for text in (b"[1]", b"[1"))
    assert good is not None
    assert bad is not None
    assert new_errors(good, bad)
    assert new_errors(good, None)
    assert not new_errors(bad, good)
    assert not new_errors(bad, bad)


@given(st.binary(max_size=40), st.sampled_from(sorted(PROGRAMS)))
def test_any_tree_has_a_gate(data: bytes, language: str) -> None:
    tree = grown(data, language)
    gate = Gate.of(tree)
    assert gate.deletable().shape == (len(tree),)
    for node in range(1, len(tree)):
        run = gate.with_separator(node)
        assert run is None or run[0] <= node <= tree.ends[run[1]]
        assert isinstance(gate.can_stand(node, int(tree.parents[node])), bool)


def test_states_of_a_small_grammar() -> None:
    tree = grown(b"[1]", "json")
    found = tables(tree.table)
    one = node_of(tree, b"1", "number")
    state, symbol = int(tree.states[one]), int(tree.symbols[one])
    assert found.next(state, symbol) == tree.table.next_state(state, symbol) != 0
    assert symbol in found.expected(state)
    assert not found.expects_unseen(state)
