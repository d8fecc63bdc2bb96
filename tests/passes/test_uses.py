"""Which parts use which, by their words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.nodes.subtrees import node_deletions
from nubbin.passes.proposal import uses_by_words as uses

C = b"""
struct pair { int a, b; };
int sum(struct pair p) { return p.a + p.b; }
char unrelated;
int main(void) { struct pair x = {1, 2}; return sum(x); }
"""


def test_a_part_uses_what_brings_its_names_in() -> None:
    syntax = Syntax("c")
    nodes = [n for n in syntax.nodes(C, 1) if n.depth == 1 and n.named]
    found = uses(node_deletions(File("a.c", C), syntax, nodes).texts())
    assert found is not None
    pair, total, unrelated, main = range(4)
    assert pair in found.of(total)
    assert {pair, total} <= set(found.of(main))
    assert all(unrelated not in found.of(each) for each in range(4))
    assert len(found) == 4


def test_parts_without_common_words_use_nothing() -> None:
    assert uses([b"a = 1", b"b = 1", b"1"]) is None
    assert uses([]) is None


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "dd", "ee", "1"]), max_size=4)))
def test_a_part_uses_the_first_part_with_each_of_its_words(parts: list[list[str]]) -> None:
    found = uses([" ".join(words).encode() for words in parts])
    for part, words in enumerate(parts):
        firsts = {next(i for i, each in enumerate(parts) if w in each) for w in words if w != "1"}
        expected = firsts - {part}
        assert (set() if found is None else set(found.of(part))) == expected


def test_what_is_too_large_to_read_uses_nothing() -> None:
    large = b"a " * (1 << 20)
    assert uses([large, b"a"]) is not None
    assert uses([large, large + b"a"]) is None
    assert uses([b"a"] * (1 << 14)) is not None
    assert uses([b"a"] * ((1 << 14) + 1)) is None
