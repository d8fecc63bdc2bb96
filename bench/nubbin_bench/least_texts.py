"""Hierarchical delta debugging as Picireny does it: a node goes, or its least text takes its place.

The framework of Zhang et al. (ICSE 2025). A unit is a node of the grammar: in XML an element and
not its tags, which go with it. A node that the grammar can do without goes, any other one is
replaced by the least text that can stand there; a separator of a list is nobody's. Each node is
judged alone and candidates are not parsed, so that each of them is a query.

The grammars here are tree-sitter's and not ANTLR's: levels and least texts are alike, not the same.
Where ANTLR's C has a list within a list, an item goes with its separator; here it stays.
"""

from __future__ import annotations

from nubbin.research import (
    MAX_DEPTH,
    SHORT_TEXTS,
    Edit,
    File,
    Gate,
    Node,
    Proposals,
    Replacement,
    Structure,
    propose,
)

#: Nodes that are half of an element in the grammars of XML and of HTML.
_TAGS = {"STag", "ETag", "EmptyElemTag", "start_tag", "end_tag", "self_closing_tag"}


def least_texts(file: File, structure: Structure) -> Proposals[File]:
    """Propose to put its least text in the place of each node, level by level, from the top."""
    gate = Gate(structure)
    for depth in range(1, MAX_DEPTH):
        nodes = [node for node in structure.nodes(file.data, depth) if node.depth == depth]
        if not nodes:
            return
        edits: list[Edit] = []
        for node in nodes:
            text = _least(gate, file.data, node)
            if text is not None:
                edits.append((Replacement(node.start, node.stop, text),))
        if edits:
            file = yield propose(file, None, edits)


def _least(gate: Gate, data: bytes, node: Node) -> bytes | None:
    """Return the least text in a node's place; None if it has it already, or is not a unit."""
    if not node.named or node.kind in _TAGS:
        return None
    if gate.may_replace(data, node, "", b" "):
        return b""
    for text in sorted(SHORT_TEXTS, key=len):
        if len(text) >= len(node):
            return None
        if gate.may_replace(data, node, text.decode(), text):
            return text
    return None
