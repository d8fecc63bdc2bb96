"""Delete the nodes of a syntax tree, the largest first."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from nubbin.documents.edits import Edit, Edits, Mask
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.documents.syntax import Node
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, is_separator, no_new_errors

#: Nodes smaller than this part of the document are left to other passes.
_SHARE = 32


@dataclass(frozen=True, slots=True)
class Subtrees:
    """Proposes all nodes of about one size as a list: those over half the document, a quarter...

    What weighs most goes first wherever it stands (Pardis, Gharachorlu and Sumner, 2019), and
    a list holds nodes that are worth about the same. Only nodes that the grammar lets go are
    proposed, and only large ones: a few questions that often take most of the document.
    """

    gate: Gate
    name: str = "subtrees"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal for each halving of the size."""
        whole = largest = len(file.data)
        while largest > whole // _SHARE:
            data = file.data
            items = [
                node
                for node in self.gate.syntax.nodes(data, smallest=largest // 2 + 1)
                if node.named and largest // 2 < len(node) <= largest and node.parent
                if self.gate.may_delete(data, node)
            ]
            if items:
                file = yield deletions(file, self.gate.syntax, items)
            largest //= 2


def deletions(file: File, syntax: Structure, items: Sequence[Node]) -> Proposal[File]:
    """Return a proposal to delete nodes; separators go as the lists around them shrink.

    The separator before an element goes with it. It also goes when everything before it in
    its list has gone: an edit of its own, which follows from what is kept of the list.
    """
    at = {id(node): i for i, node in enumerate(items)}
    edits: list[Edit] = []
    leading: list[int] = []  # items all before which in their list are items too, list by list
    openings: list[Edit] = []
    first: list[int] = []  # for each opening, where its list begins and ends in `leading`
    last: list[int] = []
    for node in items:
        span = Replacement(node.start, node.stop)
        mark = node.sibling(-1)
        if is_separator(mark):
            edits.append((Replacement(mark.start, mark.stop), span))
            continue
        edits.append((span,))
        begins = len(leading)
        element: Node | None = node
        while element is not None and id(element) in at and is_separator(element.sibling(1)):
            leading.append(at[id(element)])
            separator = element.sibling(1)
            assert separator is not None
            openings.append((Replacement(separator.start, separator.stop),))
            first.append(begins)
            last.append(len(leading))
            element = element.sibling(2)
    made = Edits(file.data, [*edits, *openings])
    in_order, begin, end = (np.array(x, dtype=np.int64) for x in (leading, first, last))

    def applied(kept: Subset) -> Mask:
        keeps = np.zeros(len(items), dtype=bool)
        keeps[kept.indices] = True
        before = np.concatenate(([0], np.cumsum(keeps[in_order])))
        opened = before[begin] == before[end]
        return np.concatenate((~keeps, opened))

    def render(kept: Subset) -> File:
        return file.with_data(made.apply(applied(kept)))

    def is_plausible(kept: Subset, candidate: File) -> bool:
        return no_new_errors(syntax, made, applied(kept), candidate)

    return Proposal(len(items), render, made.weights[: len(items)], is_plausible)
