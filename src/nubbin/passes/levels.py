"""Delete the nodes of a syntax tree, level by level."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents.file import File
from nubbin.documents.structure import Structure
from nubbin.passes.proposal import Proposal
from nubbin.passes.subtrees import deletions

#: Passes that go by depth leave what is deeper to the others: each level costs a parse.
DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Levels:
    """Proposes all nodes of one depth as a list, from the top of the tree down.

    Hierarchical delta debugging (Misherghi and Su, 2006), with each level as one list: whole
    functions go before statements, statements before expressions. A level is a list in the
    order of the document, so that uses can go before what they use.
    """

    syntax: Structure
    name: str = "tree levels"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal a level."""
        for depth in range(1, DEEPEST):
            nodes = self.syntax.nodes(file.data, depth)
            level = [node for node in nodes if node.depth == depth]
            if not level:
                return
            if items := [node for node in level if node.named]:
                file = yield deletions(file, self.syntax, items)
