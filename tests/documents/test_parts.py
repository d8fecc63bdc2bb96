"""Areas that must stay, and the nodes outside of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.outlines.outline import Outline
from nubbin.documents.outside import Outside
from nubbin.documents.parsing.syntax import Node, Structure, Syntax
from nubbin.documents.spans import Areas
from snippets import SNIPPETS

C = SNIPPETS["c"]


def rows(nodes: list[Node]) -> list[tuple[int, int, str, int]]:
    return [(node.start, node.stop, node.kind, node.depth) for node in nodes]


@pytest.mark.parametrize("whole", [Syntax("c"), Outline(words=True)], ids=["tree", "outline"])
@given(st.sets(st.integers(0, len(C)), max_size=8).map(sorted), st.integers(0, 6))
@examples(60)
def test_nodes_inside_of_nodes_that_must_stay_are_left_out(
    whole: Structure, ends: list[int], depth: int
) -> None:
    pairs = list(zip(ends[::2], ends[1::2], strict=False))
    parts = Areas([start for start, _ in pairs], [stop for _, stop in pairs])

    def is_inside(node: Node | None) -> bool:
        return node is not None and any(a <= node.start and node.stop <= b for a, b in pairs)

    outside = Outside(whole, lambda _: parts)
    for found, every in [
        (outside.nodes(C), whole.nodes(C)),
        (outside.nodes(C, depth), whole.nodes(C, depth)),
        (outside.nodes(C, smallest=4), whole.nodes(C, smallest=4)),
    ]:
        assert rows(found) == rows([node for node in every if not is_inside(node.parent)])


def test_a_part_holds_what_lies_in_it() -> None:
    parts = Areas([2, 6], [4, 9])
    held = [span for span in [(2, 4), (3, 4), (1, 3), (3, 7), (6, 9), (9, 9)] if parts.hold(*span)]
    assert held == [(2, 4), (3, 4), (6, 9), (9, 9)]
