"""Delete the largest nodes of all files, the largest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.structure import Structure
from nubbin.passes.each_file import joint
from nubbin.passes.proposal import Proposals
from nubbin.passes.subtrees import MIN_SUBTREE_FRACTION, deletions, large_nodes
from nubbin.passes.syntactic import Gate


@dataclass(frozen=True, slots=True)
class LargeParts:
    """Proposes what `subtrees` does, with sizes measured by the whole document.

    Most nodes that are large for their file are small for a folder, and among few that are about
    the same no run can grow. They are left to levels, which hold those of all files.
    """

    structures: Mapping[str, Structure]
    name: str = "large parts"
    proves: bool = False

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
