"""Definitions of functions and classes in a syntax tree: their names, and their bodies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from nubbin.documents.parsing.syntax import Node

#: The role of a definition after its decorators, which cannot be deleted without them.
DECORATED = "definition"
#: The roles that a name, and the nodes around it, have in its definition.
_OF_DEFINED = {"name", "declarator"}


def body_of(node: Node) -> Node | None:
    """Return the body of a definition, which may have decorators; None if it has none."""
    node = next((child for child in node.children if child.role == DECORATED), node)
    return next((child for child in node.children if child.role == "body"), None)


def name_of(node: Node) -> Node | None:
    """Return the leaf with the name of a definition; None if the node has no name or body."""
    leaf, below = node, None if body_of(node) is None else node
    while below is not None:
        leaf = below
        below = next((child for child in leaf.children if child.role in _OF_DEFINED), None)
    return None if leaf is node else leaf


def defined_by(leaf: Node) -> Node:
    """Return the definition that a leaf names, or the leaf itself."""
    while leaf.role in _OF_DEFINED and leaf.parent is not None:
        leaf = leaf.parent
    return leaf


def leaving_one(
    nodes: Iterable[Node], block_of: Callable[[Node], Node | None]
) -> Iterator[list[Node]]:
    """Yield the nodes of each block; of a block that would become empty, all but the first."""
    inside: defaultdict[tuple[int, int], list[Node]] = defaultdict(list)
    blocks: dict[tuple[int, int], Node] = {}
    for node in nodes:
        block = block_of(node) or node
        blocks[block.start, block.stop] = block
        inside[block.start, block.stop].append(node)
    for span, block in blocks.items():
        members = sum(each.named for each in block.children)
        is_all = block.parent is not None and members <= len(inside[span])
        yield inside[span][is_all:]
