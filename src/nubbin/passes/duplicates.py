"""Edit all copies of a text at once."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose, with_separator


def duplicates(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete each part of a text that occurs twice; then to hoist what is inside it.

    A declaration and its definition, a prototype and its call: texts that are the same often have
    to stay the same, so that neither can change alone. The largest child that fits is hoisted.
    """
    edits = list(_deletions(gate, file.data))
    if edits:
        file = yield propose(file, gate.structure, edits)
    edits = list(_hoists(gate, file.data))
    if edits:
        yield propose(file, gate.structure, edits)


def _deletions(gate: Gate, data: bytes) -> Iterator[Edit]:
    for copies in _copies(gate, data):
        first = copies[0]
        for part in _named(first):
            if part is first:
                if all(gate.may_delete(data, copy) for copy in copies):
                    yield tuple(with_separator(copy) for copy in copies)
            elif gate.may_delete(data, part):
                span = with_separator(part)
                yield tuple(_moved(span, first, copy) for copy in copies)


def _hoists(gate: Gate, data: bytes) -> Iterator[Edit]:
    for copies in _copies(gate, data):
        for part in _named(copies[0]):
            inner = max(
                (child for child in part.children if _fits(gate, data, part, child)),
                key=len,
                default=None,
            )
            if inner is not None:
                around = (
                    Replacement(part.start, inner.start),
                    Replacement(inner.stop, part.stop),
                )
                yield tuple(_moved(span, copies[0], copy) for copy in copies for span in around)


def _fits(gate: Gate, data: bytes, part: Node, child: Node) -> bool:
    text = data[child.start : child.stop]
    smaller = child.named and len(child) < len(part)
    return smaller and gate.may_replace(data, part, child.kind, text)


def _copies(gate: Gate, data: bytes) -> Iterator[list[Node]]:
    """Yield the nodes of each text that occurs several times, unless larger ones hold them all."""
    alike: dict[tuple[str, bytes], list[Node]] = {}
    for node in gate.structure.nodes(data):
        if node.named and node.children:
            alike.setdefault((node.kind, data[node.start : node.stop]), []).append(node)
    covered: set[int] = set()
    for copies in sorted(alike.values(), key=lambda nodes: -len(nodes[0])):
        if len(copies) > 1 and not all(id(copy) in covered for copy in copies):
            yield copies
            covered.update(id(part) for copy in copies for part in _named(copy))


def _named(node: Node) -> Iterator[Node]:
    """Yield a node and all that is inside it, if it has a name in the grammar."""
    return (part for part in node.walk() if part.named)


def _moved(span: Replacement, first: Node, copy: Node) -> Replacement:
    """Return the span in a copy that corresponds to a span in the first."""
    return Replacement(copy.start - first.start + span.start, copy.start - first.start + span.stop)
