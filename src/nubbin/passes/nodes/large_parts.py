"""Delete the largest nodes of all files, the largest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.passes.folders.each_file import joint
from nubbin.passes.nodes.subtrees import MIN_SUBTREE_FRACTION, deletions, large_nodes
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate


@dataclass(frozen=True, slots=True)
class LargeParts:
    """Proposes what `subtrees` does, with sizes measured by the whole document.

    Most nodes that are large for their file are small for a folder, and among few that are about
    the same no run can grow. They are left to levels, which hold those of all files.
    """

    structures: Mapping[str, Structure]
    name: str = "large parts"
    piece: str = ""

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield a list of the nodes over half the document, one of those over a quarter, ..."""
        whole = largest = document.extent
        while largest > whole * MIN_SUBTREE_FRACTION:
            found = {
                file.path: large_nodes(file, Gate(self.structures[file.path]), largest)
                for file in document.texts
                if len(file.data) > largest // 2
            }
            proposals = {
                file.path: deletions(file, self.structures[file.path], items)
                for file in document.texts
                if (items := found.get(file.path))
            }
            if proposals:
                document = yield joint(document, proposals)
            largest //= 2


#: Lists of fewer elements are left to levels.
_MIN_ELEMENTS = 16


@dataclass(frozen=True, slots=True)
class LongLists:
    """Proposes to delete the elements of nodes that have many and are a real share of the document.

    In a long list runs can grow, and no level above it has to be finished first.
    """

    structures: Mapping[str, Structure]
    name: str = "long lists"
    piece: str = ""

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
