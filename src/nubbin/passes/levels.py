"""Delete the nodes of a syntax tree, level by level."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, Edits, Span, whole_lines
from nubbin.documents.syntax import Node, Syntax
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import is_separator, no_new_errors


@dataclass(frozen=True, slots=True)
class Levels:
    """Proposes all nodes of one depth as a list, from the top of the tree down.

    Hierarchical delta debugging (Misherghi and Su, 2006), with each level as one list: whole
    functions go before statements, statements before expressions.
    """

    syntax: Syntax
    name: str = "tree levels"

    def propose(self, document: Document) -> Generator[Proposal, Document, None]:
        """Yield one proposal a level."""
        depth = 1
        while True:
            nodes = self.syntax.nodes(document.data, depth)
            level = [node for node in nodes if node.depth == depth]
            if not level:
                return
            if items := [node for node in level if node.named]:
                document = yield _of_lists(document, self.syntax, items)
            depth += 1


def _of_lists(document: Document, syntax: Syntax, items: Sequence[Node]) -> Proposal:
    """Return a proposal to delete nodes, whose separators go as the lists around them shrink.

    The separator before an element goes with it. It also goes when all elements before it
    have gone: that is an edit of its own, which follows from what is kept of its list.
    """
    at = {id(node): i for i, node in enumerate(items)}
    edits: list[Edit] = []
    openings: list[Edit] = []
    first_of_list: list[int] = []
    opened: list[int] = []
    for i, node in enumerate(items):
        mark, before = node.sibling(-1), node.sibling(-2)
        span = Span(*whole_lines(document.data, node.start, node.stop))
        if is_separator(mark) and before is not None and id(before) in at:
            first_of_list.append(first_of_list[i - 1])
            edits.append((Span(mark.start, mark.stop), span))
            openings.append((Span(mark.start, mark.stop),))
            opened.append(i)
        else:
            first_of_list.append(i)
            edits.append((span,))
    made = Edits(document.data, [*edits, *openings])
    follower = np.array(opened, dtype=np.int64)
    first = np.array(first_of_list, dtype=np.int64)[follower]

    def render(kept: Subset) -> Document:
        keeps = np.zeros(len(items), dtype=bool)
        keeps[kept.indices] = True
        before = np.concatenate(([0], np.cumsum(keeps)))
        leads = before[follower] == before[first]  # nothing of its list is kept before it
        return document.with_data(made.apply(np.concatenate((~keeps, leads))))

    weights = made.weights[: len(items)]
    return Proposal(len(items), render, weights, no_new_errors(document, syntax))
