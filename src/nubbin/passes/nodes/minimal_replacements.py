"""Replace a node with the shortest text of its kind."""

from __future__ import annotations

from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.subtrees import MAX_DEPTH
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, try_edits
from nubbin.pattern import pattern

#: Texts that many grammars accept as an expression, a block, a statement, a string or a list.
SHORT_TEXTS = (b"0", b"a", b";", b"{}", b"()", b"[]", b'""', b"''", b"pass")


def minimal_replacements(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace nodes, level by level, with the shortest text that the grammar allows.

    That is the shortest text of the same kind in the file. If the node already is that text, it is
    one of a few texts that are empty or nearly so in many languages.
    """
    for depth in range(1, MAX_DEPTH):
        data = file.data
        nodes = [node for node in gate.structure.nodes(data) if node.named]
        if not any(node.depth >= depth for node in nodes):
            return
        shortest: dict[str, bytes] = {}
        for node in sorted(nodes, key=len, reverse=True):
            shortest[node.kind] = data[node.start : node.stop]
        edits = (
            (Replacement(node.start, node.stop, text),)
            for node in nodes
            if node.depth == depth
            if (text := _shorter(gate, data, node, shortest[node.kind])) is not None
        )
        file = yield from try_edits(file, gate.structure, edits)


def _shorter(gate: Gate, data: bytes, node: Node, of_its_kind: bytes) -> bytes | None:
    """Return the shortest text that the grammar allows as a replacement; None if there is none."""
    if len(of_its_kind) < len(node):
        return of_its_kind
    return gate.shorter(data, node, SHORT_TEXTS)


_EMPTY = pattern(rb"<([^\s<>/&'\"=!?]+)(?:\s[^<>]*)?(></\1\s*>)")


def empty_elements(file: File, structure: Structure) -> Proposals[File]:
    """Propose `<a/>` for each `<a></a>`, in XML, HTML and the languages that contain them."""
    found = _EMPTY.finditer(file.data)
    yield from try_edits(file, structure, ((Replacement(*each.span(2), b"/>"),) for each in found))
