"""Write something plain where names are used: a short type, or a value that is nearly empty."""

from __future__ import annotations

from collections.abc import Collection

from nubbin.documents.edits import Edit
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.minimal_replacements import SHORT_TEXTS
from nubbin.passes.syntactic import Gate

#: The roles in which a node is only a part of the type, the value or the call around it.
_OF_WHOLE = {"scope", "name", "function", "argument"}
#: A type that needs no declaration, where the text has none.
_PLAIN_TYPE = b"int"


def plain_uses(gate: Gate, data: bytes, names: Collection[bytes]) -> list[Edit]:
    """Return for each place where names are used an edit that writes something plain there.

    A type becomes the shortest one that uses none of the names, a value what is empty or nearly so.
    Where one use is inside of another, the outer one counts. Costs no query; linear.
    """
    nodes = gate.structure.nodes(data)
    types = (data[node.start : node.stop] for node in nodes if node.role == "type")
    plain = (text for text in types if not words_of(text) & set(names))
    plain_type = min(plain, key=len, default=_PLAIN_TYPE)
    edits: list[Edit] = []
    done = 0
    for node in sorted(
        (
            _whole(node)
            for node in nodes
            if node.named and not node.children and data[node.start : node.stop] in names
        ),
        key=lambda node: (node.start, -node.stop),
    ):
        if node.start >= done and (text := _plain(gate, data, node, plain_type)) is not None:
            edits.append((Replacement(node.start, node.stop, text),))
            done = node.stop
    return edits


def _whole(node: Node) -> Node:
    """Return the type, the value or the call that a name is a part of."""
    while node.parent is not None and node.parent.parent is not None and node.role in _OF_WHOLE:
        node = node.parent
    return node


def _plain(gate: Gate, data: bytes, node: Node, plain_type: bytes) -> bytes | None:
    for text in (plain_type,) if node.role == "type" else SHORT_TEXTS:
        if len(text) < len(node) and gate.may_replace(data, node, text.decode(), text):
            return text
    return None
