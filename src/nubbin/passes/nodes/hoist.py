"""Replace a node by a part of it: unwrap blocks, conditionals, calls, parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.outlines.indents import column_of, dedented
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement, replaced
from nubbin.passes.nodes.subtrees import MAX_DEPTH
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose

#: How many parts of a node are tried in its place.
_MAX_CHOICES = 6


def hoist(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace a node by one of its descendants, level by level.

    Another part is all that is between the first and the last child of a descendant, which may be
    brackets. An edit deletes what the node has around the part, so that edits of a node and of what
    is in it can be applied together. For each node, a few of the parts that the grammar allows in
    its place are tried, the largest first: the first of each node in one list, then the second, and
    so on. Lines are dedented if the grammar allows it.

    A level is proposed again as long as it shrinks.
    """
    depth = 0
    while depth < MAX_DEPTH:
        nodes = gate.structure.nodes(file.data)
        level = [node for node in nodes if node.depth == depth and node.named]
        if not level:
            return
        choices = [_choices(gate, file.data, node) for node in level]
        before = file
        for choice in range(_MAX_CHOICES):
            edits = [parts[choice] for parts in choices if choice < len(parts)]
            if edits and file == before:
                file = yield propose(file, gate.structure, edits)
        if file == before:
            depth += 1


def _choices(gate: Gate, data: bytes, node: Node) -> list[Edit]:
    """Return the edits that leave one of the outer parts of a node, the largest part first."""
    found: list[tuple[int, Edit]] = []
    layer = [node]
    while layer and len(found) < _MAX_CHOICES:
        below: list[Node] = []
        for whole in layer:
            fitting = [
                (part.stop - part.start, edit)
                for kind, part in _parts(whole, within=node)
                if (edit := _leaving(gate, data, node, kind, part))
            ]
            found += fitting
            below += whole.children
        layer = below
    return [edit for _, edit in sorted(found, key=lambda each: -each[0])][:_MAX_CHOICES]


def _leaving(gate: Gate, data: bytes, node: Node, kind: str, part: Replacement) -> Edit | None:
    """Return the edit that leaves a part of a node, or None if the grammar does not allow it."""
    around = Replacement(node.start, part.start), Replacement(part.stop, node.stop)
    dedents = dedented(data, part, column_of(data, node.start))
    if dedents:
        text = replaced(data, part, dedents)
        if gate.may_replace(data, node, f"{kind} dedented", text):
            return (*around, *dedents)
    text = data[part.start : part.stop]
    return around if gate.may_replace(data, node, kind, text) else None


def _parts(whole: Node, within: Node) -> Iterator[tuple[str, Replacement]]:
    """Yield the spans of a node and of its contents, if they are smaller than `within`."""
    if whole.named and len(whole) < len(within):
        yield whole.kind, Replacement(whole.start, whole.stop)
    inside = whole.children[1:-1]
    if len(inside) > 1:
        yield f"in {whole.kind}", Replacement(inside[0].start, inside[-1].stop)


_BRACKET = re.compile(rb"[][(){}<>]")
_OPENING = {b")": b"(", b"]": b"[", b"}": b"{", b">": b"<"}


def brackets(file: File, structure: Structure | None = None) -> Proposals[File]:
    """Propose to delete each pair of brackets and leave what is between them."""
    if edits := _pairs(file.data):
        yield propose(file, structure, edits)


def _pairs(data: bytes) -> list[Edit]:
    """Return an edit for each pair of brackets, without what is between them."""
    edits: list[Edit] = []
    open_: list[tuple[bytes, Replacement]] = []
    for bracket in _BRACKET.finditer(data):
        opening, span = _OPENING.get(bracket[0]), Replacement(*bracket.span())
        if opening is None:
            open_.append((bracket[0], span))
        elif open_ and open_[-1][0] == opening:
            edits.append((open_.pop()[1], span))
    return edits
