"""Delete the nodes of a syntax tree, level by level."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.syntax import Syntax
from nubbin.passes.proposal import Proposal
from nubbin.passes.subtrees import deletions


@dataclass(frozen=True, slots=True)
class Levels:
    """Proposes all nodes of one depth as a list, from the top of the tree down.

    Hierarchical delta debugging (Misherghi and Su, 2006), with each level as one list: whole
    functions go before statements, statements before expressions. A level is a list in the
    order of the document, so that uses can go before what they use.
    """

    syntax: Syntax
    name: str = "tree levels"

    def propose(self, document: Document) -> Generator[Proposal, Document, None]:
        """Yield one proposal a level."""
        depth = 1
        while True:
            nodes = self.syntax.nodes(document.data, depth + 1)
            level = [node for node in nodes if node.depth == depth]
            if not level:
                return
            if items := [node for node in level if node.named]:
                document = yield deletions(document, self.syntax, items)
            depth += 1
