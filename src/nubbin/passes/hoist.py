"""Put a part in the place of the whole: unwrap blocks, conditionals, calls, parentheses."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.spans import Span
from nubbin.documents.syntax import Node
from nubbin.passes.levels import DEEPEST
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose

_CHOICES = 6


@dataclass(frozen=True, slots=True)
class Hoist:
    """Proposes to replace a node by one of its descendants, level by level.

    All that the node has round the descendant is deleted, so edits of a node and of what is
    in it go together. For each node the descendants that the grammar accepts in its place are
    tried from the largest to the smallest, a few of them: the first of each node in one list,
    then the second, and so on.
    """

    gate: Gate
    name: str = "hoisting"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield a proposal for each level and choice; go on at a level as long as it shrinks."""
        depth = 0
        while depth < DEEPEST:
            nodes = self.gate.syntax.nodes(file.data)
            level = [node for node in nodes if node.depth == depth and node.named]
            if not level:
                return
            choices = [self._inside(file.data, node) for node in level]
            before = file
            for choice in range(_CHOICES):
                edits: list[Edit] = [
                    (Span(node.start, part[choice].start), Span(part[choice].stop, node.stop))
                    for node, part in zip(level, choices, strict=True)
                    if choice < len(part)
                ]
                if edits and file == before:
                    file = yield propose(file, self.gate.syntax, edits)
            if file == before:
                depth += 1

    def _inside(self, data: bytes, node: Node) -> list[Node]:
        """Return the outermost descendants that fit in a node's place, the largest first."""
        found: list[Node] = []
        layer = node.children
        while layer and len(found) < _CHOICES:
            below: list[Node] = []
            for part in layer:
                if part.named and len(part) < len(node) and self._fits(data, node, part):
                    found.append(part)
                else:
                    below += part.children
            layer = below
        return sorted(found, key=len, reverse=True)[:_CHOICES]

    def _fits(self, data: bytes, node: Node, part: Node) -> bool:
        return self.gate.accepts(data, node, part.kind, data[part.start : part.stop])
