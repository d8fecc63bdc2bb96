"""Put a part in the place of the whole: unwrap blocks, conditionals, calls, parentheses."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.indents import column_of, moved_left
from nubbin.documents.replacement import Replacement, replaced
from nubbin.documents.syntax import Node
from nubbin.passes.levels import DEEPEST
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose

_CHOICES = 6


@dataclass(frozen=True, slots=True)
class Hoist:
    """Proposes to replace a node by one of its descendants, level by level.

    Or by all that is between the first and the last child of a descendant, its brackets. All
    that the node has round the part is deleted, so edits of a node and of what is in it go
    together. For each node the parts that the grammar accepts in its place, with their lines
    moved left or as they stand, are tried from the largest to the smallest, a few of them: the
    first of each node in one list, then the second, and so on.
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
                edits = [parts[choice] for parts in choices if choice < len(parts)]
                if edits and file == before:
                    file = yield propose(file, self.gate.syntax, edits)
            if file == before:
                depth += 1

    def _inside(self, data: bytes, node: Node) -> list[Edit]:
        """Return what leaves of a node the outermost parts that fit there, the largest first."""
        found: list[tuple[int, Edit]] = []
        layer = [node]
        while layer and len(found) < _CHOICES:
            below: list[Node] = []
            for whole in layer:
                fitting = [
                    (part.stop - part.start, edit)
                    for kind, part in _parts(whole, within=node)
                    if (edit := self._leaving(data, node, kind, part))
                ]
                found += fitting
                below += [] if fitting else whole.children
            layer = below
        return [edit for _, edit in sorted(found, key=lambda each: -each[0])][:_CHOICES]

    def _leaving(self, data: bytes, node: Node, kind: str, part: Replacement) -> Edit | None:
        """Return what leaves a part in a node's place, if the grammar accepts it there."""
        around = Replacement(node.start, part.start), Replacement(part.stop, node.stop)
        left = moved_left(data, part, column_of(data, node.start))
        if left:
            text = replaced(data, part, left)
            if self.gate.may_replace(data, node, f"{kind} left", text):
                return (*around, *left)
        text = data[part.start : part.stop]
        return around if self.gate.may_replace(data, node, kind, text) else None


def _parts(whole: Node, within: Node) -> Iterator[tuple[str, Replacement]]:
    """Yield a node's own span and that of its contents, where they are less than the other's."""
    if whole.named and len(whole) < len(within):
        yield whole.kind, Replacement(whole.start, whole.stop)
    inside = whole.children[1:-1]
    if len(inside) > 1:
        yield f"in {whole.kind}", Replacement(inside[0].start, inside[-1].stop)
