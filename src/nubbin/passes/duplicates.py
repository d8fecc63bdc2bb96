"""Change parts that stand in several places everywhere at once."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose, with_separator


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Proposes to delete, or replace by what is inside, each part of a text that stands twice.

    A declaration and its definition, a prototype and its call: where two texts are the same they
    often have to stay the same, so that neither can change alone.
    """

    gate: Gate
    name: str = "twins"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal to delete, and one to replace by the largest that fits."""
        edits = list(self._deletions(file.data))
        if edits:
            file = yield propose(file, self.gate.syntax, edits)
        edits = list(self._hoists(file.data))
        if edits:
            yield propose(file, self.gate.syntax, edits)

    def _deletions(self, data: bytes) -> Iterator[Edit]:
        for twins in self._twins(data):
            first = twins[0]
            for part in _named(first):
                if part is first:
                    if all(self.gate.may_delete(data, twin) for twin in twins):
                        yield tuple(with_separator(twin) for twin in twins)
                elif self.gate.may_delete(data, part):
                    span = with_separator(part)
                    yield tuple(_moved(span, first, twin) for twin in twins)

    def _hoists(self, data: bytes) -> Iterator[Edit]:
        for twins in self._twins(data):
            for part in _named(twins[0]):
                inner = max(
                    (child for child in part.children if self._fits(data, part, child)),
                    key=len,
                    default=None,
                )
                if inner is not None:
                    around = (
                        Replacement(part.start, inner.start),
                        Replacement(inner.stop, part.stop),
                    )
                    yield tuple(_moved(span, twins[0], twin) for twin in twins for span in around)

    def _fits(self, data: bytes, part: Node, child: Node) -> bool:
        text = data[child.start : child.stop]
        smaller = child.named and len(child) < len(part)
        return smaller and self.gate.may_replace(data, part, child.kind, text)

    def _twins(self, data: bytes) -> Iterator[list[Node]]:
        """Yield the nodes of each text that stands in several places, if it is in no larger one."""
        alike: dict[tuple[str, bytes], list[Node]] = {}
        for node in self.gate.syntax.nodes(data):
            if node.named and node.children:
                alike.setdefault((node.kind, data[node.start : node.stop]), []).append(node)
        covered: set[int] = set()
        for twins in sorted(alike.values(), key=lambda nodes: -len(nodes[0])):
            if len(twins) > 1 and not all(id(twin) in covered for twin in twins):
                yield twins
                covered.update(id(part) for twin in twins for part in _named(twin))


def _named(node: Node) -> Iterator[Node]:
    """Yield a node and all that is inside it, where it has a name in the grammar."""
    return (part for part in node.walk() if part.named)


def _moved(span: Replacement, first: Node, twin: Node) -> Replacement:
    """Return the place in a twin of a place in the first."""
    return Replacement(twin.start - first.start + span.start, twin.start - first.start + span.stop)
