"""Delete the elements of long lists: tables, enumerations, dictionaries, classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.structure import Structure
from nubbin.documents.syntax import Node
from nubbin.passes.each_file import joint
from nubbin.passes.proposal import Proposals
from nubbin.passes.subtrees import MIN_SUBTREE_FRACTION, deletions

#: Lists of fewer elements are left to levels.
_MIN_ELEMENTS = 16


@dataclass(frozen=True, slots=True)
class LongLists:
    """Proposes to delete the elements of nodes that have many and are a real share of the document.

    In a long list runs can grow, and no level above it has to be finished first.
    """

    structures: Mapping[str, Structure]
    name: str = "long lists"
    proves: bool = False

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield one list of the elements of all such nodes in all files."""
        smallest = int(document.extent * MIN_SUBTREE_FRACTION)
        proposals = {
            file.path: deletions(file, self.structures[file.path], elements)
            for file in document.texts
            if (elements := list(self._elements(file, smallest)))
        }
        if proposals:
            yield joint(document, proposals)

    def _elements(self, file: File, smallest: int) -> Iterator[Node]:
        for node in self.structures[file.path].nodes(file.data):
            elements = [child for child in node.children if child.named]
            if node.parent and len(node) >= smallest and len(elements) >= _MIN_ELEMENTS:
                yield from elements
