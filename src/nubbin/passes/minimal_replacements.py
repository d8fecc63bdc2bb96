"""Replace a part by the shortest text of its kind."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.levels import DEEPEST
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose

#: What many grammars accept for an expression, a block, a statement, a string, a list.
_SHORT = (b"0", b"a", b";", b"{}", b"()", b"[]", b'""', b"''", b"pass")


@dataclass(frozen=True, slots=True)
class MinimalReplacements:
    """Proposes to replace nodes, level by level, by the shortest text that can stand there.

    That is the shortest text of the same kind in the file, or one that many languages
    have for nothing.
    """

    gate: Gate
    name: str = "simplest parts"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal a level."""
        for depth in range(1, DEEPEST):
            data = file.data
            nodes = [node for node in self.gate.syntax.nodes(data) if node.named]
            if not any(node.depth >= depth for node in nodes):
                return
            shortest: dict[str, bytes] = {}
            for node in sorted(nodes, key=len, reverse=True):
                shortest[node.kind] = data[node.start : node.stop]
            edits: list[Edit] = []
            for node in nodes:
                if node.depth == depth:
                    text = self._for(data, node, shortest[node.kind])
                    if text is not None:
                        edits.append((Replacement(node.start, node.stop, text),))
            if edits:
                file = yield propose(file, self.gate.syntax, edits)

    def _for(self, data: bytes, node: Node, of_its_kind: bytes) -> bytes | None:
        """Return the shortest text that the grammar accepts in a node's place, if any is."""
        if len(of_its_kind) < len(node):
            return of_its_kind
        for text in _SHORT:
            if len(text) < len(node) and self.gate.may_replace(data, node, text.decode(), text):
                return text
        return None
