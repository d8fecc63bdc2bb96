"""Delete the nodes of a syntax tree, level by level."""

from __future__ import annotations

from nubbin.documents.file import File
from nubbin.documents.structure import Structure
from nubbin.passes.proposal import Proposals
from nubbin.passes.subtrees import deletions

#: Passes that go by depth leave deeper nodes to the others: each level costs a parse.
MAX_DEPTH = 200


def levels(file: File, structure: Structure) -> Proposals[File]:
    """Propose to delete the nodes of one depth, from the top of the tree down.

    Hierarchical delta debugging (Misherghi and Su, 2006), with each level as one list: whole
    functions go before statements, statements before expressions. A level is a list in the
    order of the document, so that uses can go before what they use.
    """
    for depth in range(1, MAX_DEPTH):
        nodes = structure.nodes(file.data, depth)
        level = [node for node in nodes if node.depth == depth]
        if not level:
            return
        if items := [node for node in level if node.named]:
            file = yield deletions(file, structure, items)
