"""What a tree says of names: where they occur, where they are declared, what they define."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from nubbin.documents.outlines.lexis import NAME
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: The role of a definition after its decorators, which cannot be deleted without them.
DECORATED = "definition"
#: The roles that a name, and the nodes around it, have in its definition.
_OF_DEFINED = {"name", "declarator"}

#: The roles of names that are declared where they stand.
_DECLARED = {"declarator", "pattern", "alias"}
#: The ends of the kinds of nodes that follow one another in a block.
STATEMENTS = ("statement", "declaration", "definition", "loop")
#: A name that is a leaf of a tree can include its sigil, and dots.
SIGIL = pattern(rb"[%@](?=[A-Za-z_$.\x80-\xff-])")
_WITH_SIGIL = pattern(SIGIL.pattern + rb"[\w$.\x80-\xff-]+")

#: The spans of each name's occurrences, in order.
Occurrences = dict[bytes, list[Span]]


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


def is_declared(leaf: Node) -> bool:
    """Tell whether a leaf declares its name for the block around it."""
    around = leaf.parent.kind if leaf.parent else ""
    if leaf.role in {None, "name"}:
        return around.endswith("declarator")
    return leaf.role in _DECLARED or (leaf.role == "left" and "assignment" in around)


def scope_of(leaf: Node) -> Node:
    """Return the scope of a declared name: the block around the statement that declares it.

    The scope of a parameter is the statement itself; without a statement, it is the whole file.
    """
    is_parameter = False
    for node in leaf.outward():
        is_parameter = is_parameter or "parameter" in node.kind
        if node.parent is None:
            break
        if node.kind.endswith(STATEMENTS) and "parameter" not in node.kind:
            return node if is_parameter else node.parent
    return node


def occurrences(structure: Structure, data: bytes) -> dict[bytes, list[Node]]:
    """Return the leaves of a tree that are names, by name."""
    found: dict[bytes, list[Node]] = {}
    for node in structure.nodes(data):
        if node.named and not node.children:
            text = data[node.start : node.stop]
            if NAME.fullmatch(text) or _WITH_SIGIL.fullmatch(text):
                found.setdefault(text, []).append(node)
    return found


def find_words(data: bytes, word: re.Pattern[bytes] = NAME) -> Occurrences:
    """Return the spans of each word, by default of each that could be a name."""
    found: Occurrences = {}
    for each in word.finditer(data):
        found.setdefault(each[0], []).append(each.span())
    return found
