"""Find the functions in a syntax tree; only for the parser's own process."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import tree_sitter

#: The fields of grammars with the parameters of a function.
_PARAMETERS = ("parameters", "arguments")


def functions(tree: tree_sitter.Tree) -> list[tree_sitter.Node]:
    """Return the nodes with a child that the grammar calls a body, and parameters in another child.

    They are in the order of the text, parents first; the parser's own search has no order.
    Searching for bodies takes a quarter of the time of a search for the nodes around them.
    """
    language = tree.language
    named = [field for field in _PARAMETERS if language.field_id_for_name(field)]
    if not named or not language.field_id_for_name("body"):
        return []
    lists = _search(tree, " ".join(f"(_ {field}: _ @found)" for field in named))
    spans = sorted(each.byte_range for each in lists if each.start_byte < each.end_byte)
    holders = {body.parent for body in _search(tree, "(_ body: _ @found)")}
    found = [each for each in holders if each is not None and _takes_parameters(each, spans)]
    return sorted(found, key=lambda each: (each.start_byte, -each.end_byte))


#: Nodes that contain only a definition and its template clause.
_WRAPPERS = ("template_declaration",)


def whole(function: tree_sitter.Node) -> tuple[tree_sitter.Node, int]:
    """Return the node to delete with a function, and how many levels above the function it is."""
    levels = 0
    while (around := function.parent) is not None and around.type in _WRAPPERS:
        function, levels = around, levels + 1
    return function, levels


def _search(tree: tree_sitter.Tree, pattern: str) -> Sequence[tree_sitter.Node]:
    cursor = tree_sitter.QueryCursor(tree_sitter.Query(tree.language, pattern))
    return cursor.captures(tree.root_node).get("found", ())


def _takes_parameters(holder: tree_sitter.Node, lists: Sequence[tuple[int, int]]) -> bool:
    """Tell whether one of the lists, which are in order, is in a child that is not a body."""
    cursor = holder.walk()
    is_child = cursor.goto_first_child()
    while is_child:
        child = cursor.node
        assert child is not None
        if cursor.field_name != "body":
            at = bisect_left(lists, (child.start_byte, 0))
            while at < len(lists) and lists[at][0] < child.end_byte:
                if lists[at][1] <= child.end_byte:
                    return True
                at += 1
        is_child = cursor.goto_next_sibling()
    return False
