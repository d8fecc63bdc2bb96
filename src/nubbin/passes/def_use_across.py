"""Delete a name in all files at once: a definition with its imports and its uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.structure import Structure
from nubbin.documents.syntax import Node
from nubbin.passes.across import FilesEdit, propose_across
from nubbin.passes.def_use import MAX_CHOICES, deletable
from nubbin.passes.names import occurrences
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate


@dataclass(frozen=True, slots=True)
class DefUseAcross:
    """Proposes, for each name in several files, what `def_use` does in one."""

    structures: Mapping[str, Structure]
    name: str = "links across files"
    proves: bool = False

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield a list of the smallest deletable nodes, and one of the next larger ones."""
        for choice in range(MAX_CHOICES):
            if edits := list(self._edits(document, choice)):
                document = yield propose_across(document, self.structures, edits)

    def _edits(self, document: Document, choice: int) -> Iterator[FilesEdit]:
        found: defaultdict[bytes, dict[str, list[Node]]] = defaultdict(dict)
        contents = document.contents
        gates = {path: Gate(self.structures[path]) for path in contents if path in self.structures}
        for path, gate in gates.items():
            for text, nodes in occurrences(gate.structure, contents[path]).items():
                found[text][path] = nodes
        for places in found.values():
            if len(places) > 1:
                spans = {
                    path: _spans(gates[path], contents[path], nodes, choice)
                    for path, nodes in places.items()
                }
                if all(spans.values()):
                    yield spans


def _spans(gate: Gate, data: bytes, nodes: list[Node], choice: int) -> Edit:
    """Return what is deleted in one file; nothing if a name cannot go, or everything would."""
    around = [deletable(gate, data, node) for node in nodes]
    spans = sorted({parts[min(choice, len(parts) - 1)] for parts in around if parts})
    fits = all(around) and sum(span.stop - span.start for span in spans) < len(data)
    return tuple(spans) if fits else ()
